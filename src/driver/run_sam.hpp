// SPDX-License-Identifier: MIT
// Stream graphs on the simulator, phase by phase.
#pragma once

#include "backend/sam/simulate.hpp"
#include "driver/compile_stream.hpp"
#include "recurrence/interpret.hpp"

namespace cyclotron::driver {

struct SamResult {
  std::vector<sam::Run> runs;                    // one for each phase, without its result
  std::map<std::string, tensor::Tensor> results; // of all phases, by name
  sam::Time cycles = 0;                          // one phase after the other
  std::uint64_t tokens = 0;
};

// A deadlock is an error that says who waits for whom.
std::optional<SamResult> run_sam(const SamProgram& program, const recurrence::Bindings& bindings,
                                 const sam::Options& options, Diagnostics& diagnostics);

} // namespace cyclotron::driver
