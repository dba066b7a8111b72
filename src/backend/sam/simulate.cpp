// SPDX-License-Identifier: MIT
#include "backend/sam/simulate.hpp"

#include "backend/sam/assemble.hpp"
#include "backend/sam/critical_path.hpp"
#include "backend/sam/machine.hpp"
#include "stream/ports.hpp"
#include "support/progress.hpp"

#include <algorithm>

namespace cyclotron::sam {
namespace {

void describe_blocks(const stream::Graph& graph, const Machine& machine, Run& run) {
  run.blocks.resize(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    run.blocks[n].node = static_cast<int>(n);
    run.blocks[n].label = machine.labels()[n];
  }
  for (const auto& [node, counts] : machine.buffers()) {
    BlockStatistics& block = run.blocks[static_cast<std::size_t>(node)];
    block.asked = counts.asked;
    block.reads = counts.reads;
    block.bytes = counts.bytes;
  }
  for (const Unit& unit : machine.units()) {
    if (unit.in.empty() && unit.out.size() == 1 && graph.nodes[static_cast<std::size_t>(unit.node)].root) continue;
    BlockStatistics& block = run.blocks[static_cast<std::size_t>(unit.node)];
    ++block.units;
    block.busy += unit.self.computing();
    block.waiting_to_receive += unit.self.waiting_to_receive();
    block.waiting_to_send += unit.self.waiting_to_send();
    if (unit.end() < block.end) continue;
    block.end = unit.end();
    block.intervals = unit.self.intervals();
    for (engine::Interval& interval : block.intervals) interval.channel = nullptr; // it goes with the machine
  }
}

void describe_streams(const stream::Graph& graph, const Machine& machine, Run& run) {
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    const auto ports = stream::outputs_of(graph.nodes[static_cast<std::size_t>(n)]);
    for (int p = 0; p < static_cast<int>(ports.size()); ++p) {
      const Output& out = *machine.output(n, p);
      const auto& [data, stop, empty, done] = out.counts();
      StreamStatistics stream = {n, p, "", data, stop, empty, done, 0};
      stream.name = machine.labels()[static_cast<std::size_t>(n)] + " " + ports[static_cast<std::size_t>(p)].name;
      for (const Input* wire : out.wires())
        stream.most_waiting = std::max<std::size_t>(stream.most_waiting, wire->most_waiting());
      run.streams.push_back(std::move(stream));
    }
  }
}

} // namespace

std::optional<Run> simulate(const stream::Graph& graph, const std::map<std::string, const tensor::Tensor*>& tensors,
                            const std::vector<std::int64_t>& result_dims,
                            const std::map<std::string, std::int64_t>& extents, const Options& options,
                            Diagnostics& diagnostics) {
  Run run;
  const auto made = std::make_shared<Machine>(graph, tensors, extents, options);
  Machine& machine = *made;
  try {
    machine.build();
    Progress progress("simulating the streams", {0, "cycles"});
    const engine::Outcome outcome = machine.simulation().run(&progress);
    run.deadlock = outcome.deadlock;
    if (run.deadlock) {
      run.stuck = made;
      run.cycles = outcome.cycles;
    }
  } catch (const std::runtime_error& problem) {
    diagnostics.error(problem.what());
    return std::nullopt;
  }
  for (const Unit& unit : machine.units())
    if (machine.written().contains(unit.node)) run.cycles = std::max(run.cycles, unit.end());
  describe_blocks(graph, machine, run);
  describe_streams(graph, machine, run);
  for (const auto& channel : machine.simulation().channels()) run.tokens += channel->received();
  if (options.tokens)
    for (const stream::Edge& edge : graph.edges)
      run.traces.push_back(machine.output(edge.from, edge.from_port)->tokens());
  if (run.deadlock) return run;
  if (options.records) run.critical_path = critical_path(machine);
  std::optional<tensor::Tensor> result = assemble(graph, machine, result_dims, diagnostics);
  if (!result) return std::nullopt;
  run.result = std::move(*result);
  return run;
}

} // namespace cyclotron::sam
