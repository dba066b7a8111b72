// SPDX-License-Identifier: MIT
#include "fuzz/lanes_agreement.hpp"

#include "code/interpret.hpp"
#include "driver/compare.hpp"
#include "driver/lane_arrays.hpp"
#include "driver/lanes_code.hpp"
#include "lower/code/value_bounds.hpp"
#include "recurrence/interpret.hpp"
#include "recurrence/isl_limit.hpp"

#include <fmt/format.h>
#include <isl/ctx.h>

#include <cmath>
#include <cstring>

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

class InLanes {
public:
  InLanes(const frontend::Checked& checked, const recurrence::Bindings& bindings, Diagnostics& diagnostics)
      : checked_(checked), bindings_(bindings), diagnostics_(diagnostics) {}

  // What the kernels make of the inputs. `failed`: they noticed something.
  std::optional<Tensors> run(const lower::LanesCode& code, std::string& problem, bool& failed) {
    auto arrays = driver::lane_arrays(code, checked_.program(), bindings_, diagnostics_);
    if (!arrays) {
      problem = "the arrays cannot be made";
      return std::nullopt;
    }
    std::map<std::string, code::Bytes> memories;
    for (const auto& [name, data] : arrays->memories) {
      memories[name].resize(static_cast<std::size_t>(arrays->bytes.at(name)));
      if (!memories[name].empty()) std::memcpy(memories[name].data(), data, memories[name].size());
    }
    for (const code::Kernel& kernel : code.kernels)
      if (!run(kernel, arrays->sizes, memories, problem, failed)) return std::nullopt;
    Tensors outputs;
    for (auto& [name, tensor] : arrays->outputs) {
      const std::string& called = code.memories.at(name);
      if (!memories[called].empty())
        std::memcpy(arrays->memories[called], memories[called].data(), memories[called].size());
      outputs[name] = *tensor::convert(tensor, checked_.program().tensor(name)->format, diagnostics_);
    }
    return outputs;
  }

private:
  static bool run(const code::Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::map<std::string, code::Bytes>& memories, std::string& problem, bool& failed) {
    if (problem = code::problem_of(kernel); !problem.empty()) return false;
    code::Choices choices;
    choices.backwards = true;
    choices.anything = 77;
    const code::Outcome outcome = code::interpret(kernel, sizes, memories, choices);
    if (outcome.problem) problem = outcome.problem->message + "\n" + code::print(kernel);
    failed |= outcome.failure != 0;
    return problem.empty();
  }

  const frontend::Checked& checked_;
  const recurrence::Bindings& bindings_;
  Diagnostics& diagnostics_;
};

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
  const auto largest = lower::largest_whole_number(compiled->program, sizes, largest_elements(inputs));
  for (const lower::Arithmetic& arithmetic : {lower::Arithmetic{}, lower::arithmetic_for(compiled->program, largest)}) {
    std::string problem;
    bool failed = false;
    isl_ctx_reset_operations(compiled->program.flow.context->get().get());
    const auto code = recurrence::unless_too_hard([&] { return lower::lanes_to_code(compiled->program, arithmetic); });
    if (!code) return {LanesOutcome::Kind::refused, "too many cases"};
    const auto found = InLanes(checked, bindings, diagnostics).run(*code, problem, failed);
    if (!found) return {LanesOutcome::Kind::differs, problem};
    if (!expected && !failed)
      return {LanesOutcome::Kind::differs, "only the lanes have values\n" + of_interpreter.render(false)};
    if (failed) return {LanesOutcome::Kind::refused, "noticed in lanes"};
    const driver::Comparison comparison = driver::compare(with_their_precision(*found, checked.program()),
                                                          with_their_precision(*expected, checked.program()));
    if (!comparison.problem.empty())
      return {LanesOutcome::Kind::differs, fmt::format("{}{}\n{}", arithmetic.checked ? "" : "without checks: ",
                                                       comparison.problem, lanes::print(compiled->program))};
  }
  return {LanesOutcome::Kind::agrees, ""};
}

} // namespace cyclotron::fuzz
