// SPDX-License-Identifier: MIT
#include "driver/run_on.hpp"
#include "driver/run_sam.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

std::optional<TargetResult> run_on_sam(const TargetRun& run) {
  const Stopwatch compiling;
  const auto program = compile_sam({&run.checked, run.session.schedule(), run.bindings.sizes, run.session.pipeline()},
                                   run.diagnostics());
  if (!program) return std::nullopt;
  const double compile_seconds = compiling.seconds();
  const Stopwatch simulating;
  sam::Options no_statistics;
  no_statistics.waiting = false;
  auto simulated = run_sam(*program, run.bindings, no_statistics, run.diagnostics());
  if (!simulated) return std::nullopt;
  TargetResult result;
  result.seconds = simulating.seconds();
  std::size_t blocks = 0;
  for (const stream::Graph& g : program->phases) blocks += g.nodes.size();
  result.how = fmt::format("{} blocks, {} cycles, {} tokens; compiled in {}, simulated in {}", blocks,
                           simulated->cycles, simulated->tokens, duration(compile_seconds), duration(result.seconds));
  for (const recurrence::TensorDecl* t : run.program().outputs())
    result.outputs[t->name.name] = std::move(simulated->results.at(t->name.name));
  return result;
}

} // namespace cyclotron::driver
