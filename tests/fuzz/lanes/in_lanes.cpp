// SPDX-License-Identifier: MIT
#include "fuzz/lanes/in_lanes.hpp"

#include "driver/compare.hpp"
#include "fuzz/random_program.hpp"

#include <fmt/format.h>

namespace cyclotron::fuzz {

namespace {

recurrence::Bindings random_bindings(const recurrence::Program& program, const LaneSizes& sizes) {
  return {sizes, random_inputs(program, sizes, 7)};
}

} // namespace

InLanes::InLanes(const std::string& text, const std::string& schedule, RunsOn machine, const LaneSizes& largest)
    : front_end_(driver::run_front_end(sources_.add("program.cyc", text), {}, diagnostics_)), machine_(machine) {
  if (!front_end_.checked) return;
  if (auto made = lower(schedule, largest)) kernel_ = LaneKernel::make(std::move(made->code), machine, diagnostics_);
}

std::optional<driver::LaneKernels> InLanes::lower(const std::string& schedule, const LaneSizes& largest) {
  const schedule::Schedule* chosen = nullptr;
  for (const schedule::Schedule& s : front_end_.checked->unit->schedules)
    if (!chosen && (schedule.empty() || s.name.name == schedule)) chosen = &s;
  const recurrence::Bindings bindings = random_bindings(front_end_.checked->program(), largest);
  driver::ArrayRequest request{&*front_end_.checked, chosen, {}, {}, {"program", {}, {}}, {}};
  return driver::make_lanes_code(std::move(request),
                                 machine_ == RunsOn::gpu ? driver::cuda_target() : driver::simd_target(), &bindings,
                                 diagnostics_);
}

std::string InLanes::compare_with_interpreter(const LaneSizes& sizes) {
  if (!kernel_) return "it does not compile\n" + diagnostics_.render(false);
  const frontend::Checked& checked = *front_end_.checked;
  const recurrence::Bindings bindings = random_bindings(checked.program(), sizes);
  const auto [found, failed, problem] = kernel_->run(checked.program(), bindings, diagnostics_);
  if (!problem.empty()) return problem;
  const auto expected = interpret(checked.program(), checked.types, checked.domains, bindings, {}, diagnostics_);
  if (!expected || failed) return "the kernel or the interpreter fails\n" + diagnostics_.render(false);
  const std::string difference = driver::compare(found, *expected).problem;
  if (difference.empty()) return "";
  std::string at;
  for (const auto& [name, value] : sizes) at += fmt::format(" {}={}", name, value);
  return fmt::format("at{}, {}: {}", at, name_of(machine_), difference);
}

} // namespace cyclotron::fuzz
