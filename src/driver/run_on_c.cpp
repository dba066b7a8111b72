// SPDX-License-Identifier: MIT
#include "driver/run_on.hpp"

#include "driver/compile_kernel.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::driver {

std::optional<TargetResult> run_on_c(const TargetRun& run) {
  const Stopwatch compiling;
  backend::c::KernelOptions options;
  options.title = run.session.base_name();
  options.name = options.title.substr(0, options.title.find('.'));
  options.all_steps = {run.options.all_steps.begin(), run.options.all_steps.end()};
  options.unwanted = run.session.unwanted();
  options.loops = run.session.loops();
  options.wide = true; // tensors are used once, as they are
  const auto kernel =
      make_kernel({&run.checked, run.session.schedule(), options, run.session.pipeline()}, run.diagnostics());
  if (!kernel) return std::nullopt;
  const double compiled = compiling.seconds();
  const Stopwatch analysing;
  auto outputs = kernel->analyse(run.bindings, run.diagnostics());
  if (!outputs) return std::nullopt;
  const double analysed = analysing.seconds();
  const Stopwatch computing;
  if (!kernel->compute(run.bindings, *outputs, run.diagnostics())) return std::nullopt;
  TargetResult result;
  result.seconds = computing.seconds();
  result.outputs = std::move(*outputs);
  const std::vector<std::string>& order = kernel->order();
  bool any_sparse = false;
  for (const recurrence::TensorDecl* t : run.program().outputs()) any_sparse |= !tensor::is_dense(t->format);
  result.how = fmt::format("{}compiled in {}{}, computed in {}",
                           order.empty() ? "" : fmt::format("loops {}; ", fmt::join(order, ", ")), duration(compiled),
                           any_sparse ? ", analysed in " + duration(analysed) : "", duration(result.seconds));
  return result;
}

std::optional<TargetResult> run_on_interpreter(const TargetRun& run) {
  const TimedPass interpreting("interpret");
  const Stopwatch computing;
  const std::vector<std::string>& steps = run.options.all_steps;
  const recurrence::InterpretOptions options{{steps.begin(), steps.end()}};
  auto outputs =
      interpret(run.program(), run.checked.types, run.checked.domains, run.bindings, options, run.diagnostics());
  if (!outputs) return std::nullopt;
  TargetResult result;
  result.seconds = computing.seconds();
  result.outputs = std::move(*outputs);
  result.how = fmt::format("interpreted in {}", duration(result.seconds));
  return result;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.1f} s", seconds);
}

} // namespace cyclotron::driver
