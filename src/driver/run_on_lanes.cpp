// SPDX-License-Identifier: MIT
// In the lanes of vectors: in vector registers of this machine, or in the warps of a GPU.
#include "backend/cuda/kernel.hpp"
#include "backend/simd/kernel.hpp"
#include "backend/simd/registers.hpp"
#include "driver/compile_lanes.hpp"
#include "driver/lane_arrays.hpp"
#include "driver/lanes_code.hpp"
#include "driver/lanes_failure.hpp"
#include "driver/run_on.hpp"
#include "support/pass_clock.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

namespace {

struct Prepared {
  CompiledLanes compiled;
  lower::LanesCode code;
  LaneArrays arrays;
};

bool keeps_steps(const TargetRun& run) {
  if (run.options.all_steps.empty()) return true;
  run.diagnostics().unsupported({}, "lanes keep only the last step of a tensor").with_hint("leave `--all-steps` out");
  return false;
}

std::optional<Prepared> prepare(const TargetRun& run, const LaneTarget& target) {
  if (!keeps_steps(run)) return std::nullopt;
  ArrayRequest request{&run.checked,
                       run.session.schedule(),
                       {},
                       run.bindings.sizes,
                       {run.session.base_name(), {}, run.session.unwanted(), run.session.pipeline()},
                       {}};
  auto made = make_lanes_code(std::move(request), target, &run.bindings, run.diagnostics());
  if (!made) return std::nullopt;
  const TimedPass binding("prepare-arrays");
  auto arrays = lane_arrays(made->code, run.program(), run.bindings, run.diagnostics(), run.session.unwanted());
  if (!arrays) return std::nullopt;
  return Prepared{std::move(made->compiled), std::move(made->code), std::move(*arrays)};
}

// Kernels work with dense results of all outputs.
std::optional<Outputs> results_of(const TargetRun& run, LaneArrays& arrays) {
  const TimedPass converting("convert-results");
  Outputs outputs;
  for (auto& [name, value] : arrays.outputs) {
    const tensor::Format& format = run.program().tensor(name)->format;
    if (value.format == format) {
      outputs[name] = std::move(value);
      continue;
    }
    auto converted = tensor::convert(value, format, run.diagnostics());
    if (!converted) return std::nullopt;
    outputs[name] = std::move(*converted);
  }
  return outputs;
}

std::string describe(const Prepared& prepared) {
  const lanes::Shape& shape = prepared.compiled.program.shape;
  return fmt::format("{} lanes of {} element{}{}", shape.lanes, shape.per_lane, shape.per_lane == 1 ? "" : "s",
                     prepared.code.narrow ? " of 16 bits" : "");
}

std::optional<TargetResult> finish(const TargetRun& run, Prepared& prepared, std::int64_t answer) {
  if (answer != 0) {
    report_lanes_failure(run.checked, run.bindings, answer, run.diagnostics());
    return std::nullopt;
  }
  auto outputs = results_of(run, prepared.arrays);
  if (!outputs) return std::nullopt;
  TargetResult result;
  result.outputs = std::move(*outputs);
  result.schedule = prepared.compiled.describe();
  if (!run.session.schedule()) result.schedule_is = "chosen";
  return result;
}

} // namespace

std::optional<TargetResult> run_on_simd(const TargetRun& run) {
  const Stopwatch compiling;
  auto prepared = prepare(run, simd_target());
  if (!prepared) return std::nullopt;
  backend::simd::KernelOptions options;
  options.threads = prepared->compiled.says_threads() ? 0 : 1;
  const auto kernel = backend::simd::Kernel::make(prepared->code.kernels, options, run.diagnostics());
  if (!kernel) return std::nullopt;
  const double compile_seconds = compiling.seconds();
  const Stopwatch computing;
  const auto answer = kernel->call(prepared->arrays.sizes, prepared->arrays.memories, run.diagnostics());
  const double seconds = computing.seconds();
  if (!answer) return std::nullopt;
  auto result = finish(run, *prepared, *answer);
  if (!result) return std::nullopt;
  result->seconds = seconds;
  result->how = fmt::format("{}; compiled in {}, computed in {}", describe(*prepared), duration(compile_seconds),
                            duration(seconds));
  return result;
}

std::optional<TargetResult> run_on_cuda(const TargetRun& run) {
  const Stopwatch compiling;
  auto prepared = prepare(run, cuda_target());
  if (!prepared) return std::nullopt;
  backend::cuda::KernelOptions options;
  options.machine.emulate = run.options.emulate;
  const auto kernel = backend::cuda::Kernel::make(prepared->code.kernels, options, run.diagnostics());
  if (!kernel) return std::nullopt;
  const double compile_seconds = compiling.seconds();
  std::map<std::string, backend::cuda::HostMemory> memories;
  for (const auto& [name, data] : prepared->arrays.memories)
    memories[name] = {data, prepared->arrays.bytes.at(name), prepared->arrays.zero.count(name) > 0};
  backend::cuda::Figures figures;
  const auto answer = kernel->call(prepared->arrays.sizes, memories, run.diagnostics(), &figures);
  if (!answer) return std::nullopt;
  auto result = finish(run, *prepared, *answer);
  if (!result) return std::nullopt;
  result->seconds = figures.kernel_seconds;
  result->how = fmt::format(
      "{} on {}; compiled in {}, computed in {}, {} bytes in and {} out{}", describe(*prepared),
      kernel->machine().properties().name, duration(compile_seconds), duration(result->seconds), figures.in_bytes,
      figures.out_bytes,
      figures.copy_fraction > 0 ? fmt::format(", {:.0f} % of what a copy reaches", 100 * figures.copy_fraction) : "");
  result->figures = {{"kernel_seconds", figures.kernel_seconds},
                     {"in_seconds", figures.in_seconds},
                     {"out_seconds", figures.out_seconds},
                     {"in_bytes", static_cast<std::uint64_t>(figures.in_bytes)},
                     {"out_bytes", static_cast<std::uint64_t>(figures.out_bytes)},
                     {"copy_fraction", figures.copy_fraction}};
  return result;
}

} // namespace cyclotron::driver
