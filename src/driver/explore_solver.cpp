// SPDX-License-Identifier: MIT
#include "driver/explore_solver.hpp"

#include "backend/array/simulate.hpp"
#include "explore/family.hpp"
#include "explore/summary.hpp"
#include "support/sha256.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cyclotron::driver {

namespace parameter = explore::parameter;

namespace {

std::string refusal(const Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? "refused: no reason was given"
                                   : "refused: " + diagnostics.all().front().main.message;
}

// The name is no part of what a program does.
std::string content_of(pe::Program program) {
  program.name.clear();
  program.closed_form.clear();
  for (pe::Axis& axis : program.axes) axis.name.clear();
  return pe::print(program);
}

} // namespace

const Built& ExploreSolver::compile(const Candidate& candidate) {
  if (last_text_ == candidate.text) return last_;
  last_text_ = candidate.text;
  last_ = {};
  explore::Point& point = last_.head;
  point.parameters = {{parameter::schedule, candidate.text},
                      {parameter::grid, candidate.choice.grid},
                      {parameter::tile, std::to_string(candidate.choice.tile)}};
  if (!candidate.name.empty()) point.parameters["name"] = candidate.name;
  Diagnostics diagnostics(own_.sources());
  auto compiled = compile_array(
      {&own_.checked(), nullptr, candidate.choice.mapping, sweep_.bindings.sizes, {"", {}, sweep_.unwanted}},
      diagnostics);
  if (!compiled) {
    point.verdict = refusal(diagnostics);
    return last_;
  }
  const auto motions = explore::motions_of(compiled->dataflow.program);
  point.family = explore::family_of(motions);
  point.parameters[parameter::operands] = explore::describe(motions);
  point.parameters["program"] = sha256(content_of(compiled->program));
  last_.program = std::make_shared<const pe::Program>(std::move(compiled->program));
  return last_;
}

explore::Point ExploreSolver::simulate(const Built& built, std::int64_t tile, std::int64_t latency,
                                       std::int64_t depth) {
  explore::Point point = built.head;
  point.parameters.erase("program");
  point.parameters[parameter::latency] = std::to_string(latency);
  point.parameters[parameter::depth] = std::to_string(depth);
  if (!built.program) return point;
  array::Machine machine;
  machine.link_latency = static_cast<array::Time>(latency);
  machine.fifo_depth = static_cast<std::size_t>(depth);
  if (tile > 1) machine.kernel_cycles = kernel_cycles_of(tile, sweep_.cycles_per_multiply_add);
  Diagnostics diagnostics(own_.sources());
  const auto result = array::simulate(*built.program, sweep_.bindings.tensors, machine, {}, diagnostics);
  if (!result) {
    point.verdict = refusal(diagnostics);
    return point;
  }
  const array::Statistics& s = result->statistics;
  point.cycles = static_cast<std::int64_t>(s.cycles);
  point.utilisation = s.utilisation();
  for (const array::PeStatistics& p : s.pes) {
    point.pes += p.role >= 0;
    point.memory_bytes_per_pe = std::max(point.memory_bytes_per_pe, static_cast<std::int64_t>(p.memory_bytes));
  }
  for (const array::LinkStatistics& l : s.links) {
    point.messages += static_cast<std::int64_t>(l.messages);
    point.bytes += static_cast<std::int64_t>(l.bytes);
  }
  return point;
}

} // namespace cyclotron::driver
