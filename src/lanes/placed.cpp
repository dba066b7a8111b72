// SPDX-License-Identifier: MIT
#include "lanes/placed.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lanes {

using namespace recurrence;

std::vector<InputRead> reads_of_input(const Program& program, const std::string& tensor) {
  std::vector<InputRead> reads;
  for (std::size_t r = 0; r < program.flow.rules.size(); ++r)
    ir::walk<ExprNode>(program.flow.rules[r].expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (!a || a->tensor != tensor || dataflow::reference_of(*a, program.flow)) return;
      InputRead read{r, {}};
      for (const Expr& index : a->indices) read.indices.push_back(accepted_affine(index, *program.flow.source));
      reads.push_back(std::move(read));
    });
  return reads;
}

namespace {

bool is_computed(const dataflow::Program& program, const std::string& tensor) {
  const auto writes = [&](const auto& x) { return x.tensor == tensor; };
  const auto inputs = program.source->inputs();
  return std::any_of(program.exports.begin(), program.exports.end(), writes) ||
         std::any_of(program.constants.begin(), program.constants.end(), writes) ||
         std::none_of(inputs.begin(), inputs.end(), [&](const TensorDecl* t) { return t->name.name == tensor; });
}

} // namespace

std::optional<PlacedProblem> problem_of_placed(const Program& program, const Placed& placed) {
  const std::string& tensor = placed.tensor;
  const auto names = [&](const Placed& p) { return p.tensor == tensor; };
  if (std::count_if(program.placed.begin(), program.placed.end(), names) > 1)
    return PlacedProblem{fmt::format("`{}` is placed twice", tensor)};
  if (!program.flow.source->tensor(tensor))
    return PlacedProblem{fmt::format("there is no tensor `{}` to place", tensor)};
  if (is_computed(program.flow, tensor))
    return PlacedProblem{fmt::format("`{}` is computed, and only inputs are placed in memories of the device", tensor),
                         "leave `place` out: values that are computed stay in registers, or wait in memory, by `time`"};
  if (reads_of_input(program, tensor).empty())
    return PlacedProblem{fmt::format("nothing that is computed in lanes reads `{}`", tensor), "leave `place` out"};
  return placed.memory == Memory::registers ? problem_of_registers(program, tensor)
                                            : problem_of_shared(program, tensor);
}

} // namespace cyclotron::lanes
