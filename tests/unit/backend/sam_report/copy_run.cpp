// SPDX-License-Identifier: MIT
#include "unit/backend/sam_report/copy_run.hpp"

namespace cyclotron::sam {

using engine::Activity;
using stream::Block;

stream::Graph copy_graph() {
  stream::Graph graph;
  graph.title = "x(i) = b(i)";
  graph.order = {"i"};
  const tensor::Format sparse = {{tensor::LevelKind::compressed}, {0}};
  graph.operands = {{"b", "b", {"i"}, sparse}};
  graph.result = {"x", "x", {"i"}, sparse};
  const auto node = [](Block block, const std::string& index, const std::string& tensor, int mode) {
    stream::Node made;
    made.block = block;
    made.index = index;
    made.tensor = tensor;
    made.mode = mode;
    return made;
  };
  stream::Node scan = node(Block::fiberlookup, "i", "b", 0), values = node(Block::arrayvals, "", "b", -1);
  scan.root = true;
  scan.operand = values.operand = "b";
  graph.add(scan);
  graph.add(values);
  graph.add(node(Block::fiberwrite, "i", "x", 0));
  graph.add(node(Block::fiberwrite, "", "x", -1));
  graph.connect(0, 0, 2, 0);
  graph.connect(0, 1, 1, 0);
  graph.connect(1, 0, 3, 0);
  return graph;
}

Run copy_run() {
  Run run;
  run.cycles = 8;
  run.tokens = 12;
  const auto block = [&](const char* label, Time busy, Time waiting, Time end) {
    BlockStatistics made;
    made.node = static_cast<int>(run.blocks.size());
    made.label = label;
    made.units = 1;
    made.busy = busy;
    made.waiting_to_receive = waiting;
    made.end = end;
    if (waiting > 0) made.intervals.push_back({Activity::waits_to_receive, 0, waiting});
    made.intervals.push_back({Activity::computes, waiting, waiting + busy});
    run.blocks.push_back(made);
  };
  block("fiberlookup b.i", 4, 0, 4);
  block("arrayvals b", 4, 1, 5);
  block("fiberwrite x.i", 4, 1, 5);
  block("fiberwrite x vals", 4, 2, 6);
  run.streams = {{0, 0, "fiberlookup b.i crd", 2, 1, 0, 1, 1},
                 {0, 1, "fiberlookup b.i ref", 2, 1, 0, 1, 1},
                 {1, 0, "arrayvals b val", 1, 1, 1, 1, 2}};
  run.critical_path = {{0, 0, 4}, {1, 4, 5}, {3, 5, 8}};
  return run;
}

Run stuck_run() {
  Run run = copy_run();
  run.deadlock = engine::Deadlock{};
  run.deadlock->stuck = 1;
  run.critical_path.clear();
  return run;
}

} // namespace cyclotron::sam
