// SPDX-License-Identifier: MIT
// What a run is like in words and figures: text, JSON, the trace.
#include "unit/backend/sam_report/copy_run.hpp"

#include "backend/sam_report/chrome_trace.hpp"
#include "backend/sam_report/json.hpp"
#include "backend/sam_report/text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cyclotron::sam {
namespace {

TEST(SamFigures, Shares) {
  const sam::Run run = copy_run();
  EXPECT_DOUBLE_EQ(utilisation_of(run.blocks[0], run), 0.5);
  EXPECT_DOUBLE_EQ(mean_utilisation(run), 0.5);
  EXPECT_DOUBLE_EQ(idle_of(run.streams[2], run), 0.5);
  BlockStatistics several_units;
  several_units.units = 5;
  several_units.busy = 10;
  EXPECT_DOUBLE_EQ(utilisation_of(several_units, run), 0.25);
  EXPECT_DOUBLE_EQ(mean_utilisation(sam::Run{}), 0);
  const std::vector<PathShare> path = path_shares(run);
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[1].node, 3);
  EXPECT_EQ(path[1].cycles, 3);
  EXPECT_DOUBLE_EQ(path[1].share, 0.375);
}

TEST(SamText, WholeSummary) {
  const stream::Graph graph = copy_graph();
  const sam::Run run = copy_run();
  EXPECT_EQ(summary({{graph, run}}), R"--(x(i) = b(i)
  cycles       8
  tokens       12, 1.50 per cycle
  utilisation  50.0 % of 4 blocks

  cycles of the blocks
    block               busy  waits to receive  waits to send  utilisation
    fiberlookup b.i        4                 0              0       50.0 %  █████
    arrayvals b            4                 1              0       50.0 %  █████
    fiberwrite x.i         4                 1              0       50.0 %  █████
    fiberwrite x vals      4                 2              0       50.0 %  █████

  tokens of the streams
    stream               type   data  stop  empty  done    idle  most waiting
    fiberlookup b.i crd  crd       2     1      0     1  50.0 %             1
    fiberlookup b.i ref  ref       2     1      0     1  50.0 %             1
    arrayvals b val      val       1     1      1     1  50.0 %             2

  critical path
    fiberlookup b.i     4 cycles  50.0 %  █████
    fiberwrite x vals   3 cycles  37.5 %  ███▊
    arrayvals b          1 cycle  12.5 %  █▎
)--");
}

TEST(SamText, SeveralPhases) {
  const stream::Graph graph = copy_graph();
  const sam::Run run = copy_run();
  const std::string text = summary({{graph, run}, {graph, run}});
  EXPECT_TRUE(text.starts_with("2 phases in 16 cycles with 24 tokens\n\nphase 1 of 2: x(i) = b(i)\n  cycles       8\n"))
      << text;
  EXPECT_NE(text.find("\n\nphase 2 of 2: x(i) = b(i)\n"), std::string::npos);
}

TEST(SamText, Deadlock) {
  const stream::Graph graph = copy_graph();
  const sam::Run run = stuck_run();
  const std::string text = summary({{graph, run}});
  EXPECT_NE(text.find("\n  stuck in cycle 8\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("critical path"), std::string::npos);
}

TEST(SamJson, WholeText) {
  const stream::Graph graph = copy_graph();
  const sam::Run run = copy_run();
  EXPECT_EQ(json({{graph, run}}), R"--({
  "cycles": 8,
  "tokens": 12,
  "phases": [
    {"title":"x(i) = b(i)","order":["i"],"cycles":8,"tokens":12,"utilisation":0.5,"deadlock":null}
  ],
  "blocks": [
    {"phase":0,"node":0,"label":"fiberlookup b.i","type":"fiberlookup","units":1,"busy":4,"receiving":0,"sending":0,"utilisation":0.5,"end":4,"path_cycles":4,"intervals":[["computes",0,4]]},
    {"phase":0,"node":1,"label":"arrayvals b","type":"arrayvals","units":1,"busy":4,"receiving":1,"sending":0,"utilisation":0.5,"end":5,"path_cycles":1,"intervals":[["waits_to_receive",0,1],["computes",1,5]]},
    {"phase":0,"node":2,"label":"fiberwrite x.i","type":"fiberwrite","units":1,"busy":4,"receiving":1,"sending":0,"utilisation":0.5,"end":5,"path_cycles":0,"intervals":[["waits_to_receive",0,1],["computes",1,5]]},
    {"phase":0,"node":3,"label":"fiberwrite x vals","type":"fiberwrite","units":1,"busy":4,"receiving":2,"sending":0,"utilisation":0.5,"end":6,"path_cycles":3,"intervals":[["waits_to_receive",0,2],["computes",2,6]]}
  ],
  "streams": [
    {"phase":0,"node":0,"port":"crd","name":"fiberlookup b.i crd","type":"crd","data":2,"stop":1,"empty":0,"done":1,"idle":0.5,"most_waiting":1},
    {"phase":0,"node":0,"port":"ref","name":"fiberlookup b.i ref","type":"ref","data":2,"stop":1,"empty":0,"done":1,"idle":0.5,"most_waiting":1},
    {"phase":0,"node":1,"port":"val","name":"arrayvals b val","type":"val","data":1,"stop":1,"empty":1,"done":1,"idle":0.5,"most_waiting":2}
  ],
  "critical_path": [
    {"phase":0,"node":0,"begin":0,"end":4},
    {"phase":0,"node":1,"begin":4,"end":5},
    {"phase":0,"node":3,"begin":5,"end":8}
  ]
}
)--");
  EXPECT_EQ(to_json({{graph, stuck_run()}})["phases"][0]["deadlock"], nlohmann::ordered_json::array());
}

TEST(SamTrace, WholeText) {
  const stream::Graph graph = copy_graph();
  sam::Run run = copy_run();
  run.blocks.resize(2);
  run.critical_path.resize(1);
  EXPECT_EQ(chrome_trace({{graph, run}}), R"--({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"x(i) = b(i)"}},
{"ph":"C","pid":1,"tid":0,"name":"blocks that work","ts":0,"args":{"blocks":1}},
{"ph":"C","pid":1,"tid":0,"name":"blocks that work","ts":1,"args":{"blocks":2}},
{"ph":"C","pid":1,"tid":0,"name":"blocks that work","ts":4,"args":{"blocks":1}},
{"ph":"C","pid":1,"tid":0,"name":"blocks that work","ts":5,"args":{"blocks":0}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"critical path"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"X","pid":1,"tid":1,"name":"fiberlookup b.i","cat":"path","ts":0,"dur":4},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"fiberlookup b.i"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":2}},
{"ph":"X","pid":1,"tid":2,"name":"works","cat":"step","ts":0,"dur":4},
{"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"arrayvals b"}},
{"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":3}},
{"ph":"X","pid":1,"tid":3,"name":"waits to receive","cat":"wait","ts":0,"dur":1},
{"ph":"X","pid":1,"tid":3,"name":"works","cat":"step","ts":1,"dur":4}
]}
)--");
}

TEST(SamTrace, SecondPhaseBeginsWhereTheFirstEnds) {
  const stream::Graph graph = copy_graph();
  sam::Run run = copy_run();
  for (BlockStatistics& block : run.blocks) block.intervals.clear();
  run.critical_path.clear();
  const auto trace = nlohmann::json::parse(chrome_trace({{graph, run}, {graph, run}}));
  const auto& last = trace["traceEvents"].back();
  EXPECT_EQ(last["name"], "until its last step");
  EXPECT_EQ(last["tid"], 8);
  EXPECT_EQ(last["ts"], 8);
  EXPECT_EQ(last["dur"], 6);
}

} // namespace
} // namespace cyclotron::sam
