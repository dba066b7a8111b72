// SPDX-License-Identifier: MIT
#include "fuzz/lanes_agreement.hpp"

#include "driver/compare.hpp"
#include "driver/lanes_code.hpp"
#include "lower/code/value_bounds.hpp"
#include "recurrence/interpret.hpp"
#include "recurrence/isl_limit.hpp"

#include <fmt/format.h>
#include <isl/ctx.h>

#include <cmath>

namespace cyclotron::fuzz {

namespace {

std::map<std::string, double> largest_elements(const Tensors& inputs) {
  std::map<std::string, double> largest;
  for (const auto& [name, tensor] : inputs) {
    double& most = largest[name];
    for (std::int64_t i = 0; i < tensor.stored(); ++i)
      most = std::max(most, std::abs(tensor::float_at(tensor.values, i)));
  }
  return largest;
}

// Whole numbers with checks, and, where the inputs allow it, without. Compiling takes long: what is compiled has the
// cheaper arithmetic.
std::vector<lower::Arithmetic> arithmetics(const lanes::Program& program, const SizeValues& sizes,
                                           const Tensors& inputs, RunsOn machine) {
  const lower::Arithmetic allowed =
      lower::arithmetic_for(program, lower::largest_whole_number(program, sizes, largest_elements(inputs)));
  if (machine == RunsOn::interpreter) return {lower::Arithmetic{}, allowed};
  return {allowed};
}

} // namespace

LanesOutcome run_in_lanes(const frontend::Checked& checked, const schedule::Schedule* schedule, const SizeValues& sizes,
                          const Tensors& inputs, const LaneShape& shape, const Sources& sources) {
  Diagnostics diagnostics(sources);
  lower::LaneMachine machine;
  machine.lanes = shape.lanes;
  if (shape.per_lane > 0) machine.per_lane = shape.per_lane;
  machine.layout = shape.layout;
  machine.registers = 1000;
  driver::ArrayRequest request{&checked, schedule, {}, sizes, {"program", {}, {}}, machine};
  const auto compiled = driver::compile_lanes(std::move(request), diagnostics);
  if (!compiled) {
    if (!diagnostics.failed()) return {LanesOutcome::Kind::differs, "neither lanes nor an error"};
    return {LanesOutcome::Kind::refused, diagnostics.render(false)};
  }
  if (const std::string broken = lanes::problem_of(compiled->program); !broken.empty())
    return {LanesOutcome::Kind::differs, broken};
  const recurrence::Bindings bindings{sizes, inputs};
  Diagnostics of_interpreter(sources);
  const auto expected =
      recurrence::interpret(checked.program(), checked.types, checked.domains, bindings, {}, of_interpreter);
  for (const lower::Arithmetic& arithmetic : arithmetics(compiled->program, sizes, inputs, shape.machine)) {
    isl_ctx_reset_operations(compiled->program.flow.context->get().get());
    auto code = recurrence::unless_too_hard([&] { return lower::lanes_to_code(compiled->program, arithmetic); });
    if (!code) return {LanesOutcome::Kind::refused, "too many cases"};
    const auto kernel = LaneKernel::make(std::move(*code), shape.machine, diagnostics);
    if (!kernel) return {LanesOutcome::Kind::differs, "it cannot be compiled\n" + diagnostics.render(false)};
    const auto [found, failed, problem] = kernel->run(checked.program(), bindings, diagnostics);
    if (!problem.empty()) return {LanesOutcome::Kind::differs, problem};
    if (!expected && !failed)
      return {LanesOutcome::Kind::differs, "only the lanes have values\n" + of_interpreter.render(false)};
    if (failed) return {LanesOutcome::Kind::refused, "noticed in lanes"};
    const driver::Comparison comparison = driver::compare(with_their_precision(found, checked.program()),
                                                          with_their_precision(*expected, checked.program()));
    if (!comparison.problem.empty())
      return {LanesOutcome::Kind::differs,
              fmt::format("{}{}: {}\n{}", name_of(shape.machine), arithmetic.checked ? "" : " without checks",
                          comparison.problem, lanes::print(compiled->program))};
  }
  return {LanesOutcome::Kind::agrees, ""};
}

} // namespace cyclotron::fuzz
