// SPDX-License-Identifier: MIT
// On an array of processing elements: simulated, or as a program for the ranks of a cluster.
#include "driver/choose_for_ranks.hpp"
#include "driver/run_on.hpp"
#include "driver/simulate.hpp"
#include "support/pass_clock.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

#include <thread>

namespace cyclotron::driver {

namespace {

bool keeps_last_steps_only(const TargetRun& run) {
  if (run.options.all_steps.empty()) return true;
  run.diagnostics()
      .unsupported({}, "an array of processing elements keeps only the last step of a tensor")
      .with_hint("leave `--all-steps` out");
  return false;
}

ArrayOptions array_options(const TargetRun& run) {
  return {run.session.base_name(), {}, run.session.unwanted(), run.session.pipeline()};
}

std::optional<Outputs> in_declared_formats(const TargetRun& run, Outputs outputs) {
  const TimedPass converting("convert-results");
  for (auto& [name, value] : outputs) {
    auto converted = tensor::convert(value, run.program().tensor(name)->format, run.diagnostics());
    if (!converted) return std::nullopt;
    value = std::move(*converted);
  }
  return outputs;
}

void warn_of_crowded_cores(int ranks, Diagnostics& diagnostics) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores == 0 || ranks <= cores) return;
  diagnostics
      .warning({}, fmt::format("{} ranks share the {} of this machine: they take turns, and the times say "
                               "little",
                               ranks, cores == 1 ? "one core" : fmt::format("{} cores", cores)))
      .with_hint(fmt::format("measure with `--ranks {}` or fewer; `cyclotron simulate … --ranks {}` says how long a "
                             "larger machine would take",
                             cores, ranks));
}

} // namespace

std::optional<TargetResult> run_on_array(const TargetRun& run) {
  if (!keeps_last_steps_only(run)) return std::nullopt;
  const Stopwatch compiling;
  const auto compiled = compile_array(
      {&run.checked, run.session.schedule(), {}, run.bindings.sizes, array_options(run)}, run.diagnostics());
  if (!compiled) return std::nullopt;
  const double compile_seconds = compiling.seconds();
  const Stopwatch simulating;
  auto simulated = simulate_array(compiled->program, run.bindings.tensors, {}, false, run.diagnostics());
  if (!simulated) return std::nullopt;
  TargetResult result;
  result.seconds = simulating.seconds();
  result.how = fmt::format("{} PEs, {} cycles; compiled in {}, simulated in {}", compiled->program.elements(),
                           simulated->statistics.cycles, duration(compile_seconds), duration(result.seconds));
  auto outputs = in_declared_formats(run, std::move(simulated->outputs));
  if (!outputs) return std::nullopt;
  result.outputs = std::move(*outputs);
  return result;
}

std::optional<TargetResult> run_on_mpi(const TargetRun& run) {
  if (!keeps_last_steps_only(run)) return std::nullopt;
  const Stopwatch compiling;
  const int ranks = run.options.mpi.ranks;
  warn_of_crowded_cores(ranks, run.diagnostics());
  const auto machine = machine_for(run.options.mpi, run.diagnostics());
  if (!machine) return std::nullopt;
  const auto chosen = choose_for_ranks(run.checked, run.session.schedule(), run.bindings.sizes, ranks, *machine,
                                       array_options(run), run.diagnostics());
  if (!chosen) return std::nullopt;
  const double compile_seconds = compiling.seconds();
  const pe::Program& program = chosen->compiled.program;
  auto ran = run_mpi(program, run.bindings.tensors, run.options.mpi, run.diagnostics());
  if (!ran) return std::nullopt;
  TargetResult result;
  result.seconds = ran->seconds;
  result.how = fmt::format("{} PEs on {} ranks, {} messages of {} bytes between ranks{}; compiled in {}, predicted {}, "
                           "ran in {}",
                           program.elements(), ranks, ran->rank_messages, ran->rank_bytes,
                           ran->goes_on.empty() ? "" : "; " + ran->goes_on, duration(compile_seconds),
                           duration(chosen->predicted_seconds), duration(ran->seconds));
  result.schedule = chosen->compiled.describe();
  if (!run.session.schedule()) result.schedule_is = fmt::format("chosen of {} schedules", chosen->tried);
  result.figures = {{"ranks", static_cast<std::uint64_t>(ranks)},
                    {"predicted_seconds", chosen->predicted_seconds},
                    {"pe_messages", ran->pe_messages},
                    {"pe_bytes", ran->pe_bytes},
                    {"rank_messages", ran->rank_messages},
                    {"rank_bytes", ran->rank_bytes}};
  auto outputs = in_declared_formats(run, std::move(ran->outputs));
  if (!outputs) return std::nullopt;
  result.outputs = std::move(*outputs);
  return result;
}

} // namespace cyclotron::driver
