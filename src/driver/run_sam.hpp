// SPDX-License-Identifier: MIT
// Stream graphs on the simulator, phase by phase.
#pragma once

#include "backend/sam/simulate.hpp"
#include "frontend/check.hpp"
#include "lower/stream/tiles.hpp"
#include "recurrence/interpret.hpp"
#include "schedule/ir.hpp"

namespace cyclotron::driver {

// What is to be run, at the sizes of a run.
struct SamProgram {
  std::vector<stream::Graph> phases;
  std::vector<std::map<std::string, std::int64_t>> extents; // of the indices of each phase
  std::vector<lower::StreamSplits> splits;                  // of each phase: operands to be stored in tiles
  struct Whole {
    std::vector<std::int64_t> dims;
    tensor::Format format;
  };
  std::map<std::string, Whole> results; // of those that are split or stored otherwise: what they are put together to
};

struct SamResult {
  std::vector<sam::Run> runs;                    // one for each phase, without its result
  std::map<std::string, tensor::Tensor> results; // of all phases, by name
  sam::Time cycles = 0;                          // one phase after the other
  std::uint64_t tokens = 0;
};

std::optional<SamProgram> compile_sam(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                      const std::map<std::string, std::int64_t>& sizes, Diagnostics& diagnostics);

// A deadlock is an error that says who waits for whom.
std::optional<SamResult> run_sam(const SamProgram& program, const recurrence::Bindings& bindings,
                                 const sam::Options& options, Diagnostics& diagnostics);

} // namespace cyclotron::driver
