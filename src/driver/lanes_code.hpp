// SPDX-License-Identifier: MIT
// From a checked program to kernels in lanes: as many lanes as the target's registers have room for, and the arithmetic
// that the inputs of the run allow.
#pragma once

#include "backend/c/build.hpp"
#include "driver/compile_lanes.hpp"
#include "lower/code/lanes_to_code.hpp"
#include "recurrence/interpret.hpp"

namespace cyclotron::driver {

struct LaneTarget {
  std::int64_t vector_bytes = 64; // of a register: it has as many lanes as fit; 0: always `lanes` of them
  std::int64_t lanes = 32;
  std::int64_t registers = 32; // vectors that there is room for
  lanes::Layout layout = lanes::Layout::striped;
  lower::CodeFor code_for = lower::CodeFor::core;
};
LaneTarget simd_target(); // this machine
LaneTarget cuda_target();

struct LaneKernels {
  CompiledLanes compiled;
  lower::LanesCode code;
};

// `bindings`: the run that the code is for; null: it is for all inputs. `lanes`: so many, where the user says so; 0: as
// many as there is room for. `build`: whether and where loops are kept for the next process.
std::optional<LaneKernels> make_lanes_code(ArrayRequest request, const LaneTarget& target,
                                           const recurrence::Bindings* bindings, Diagnostics& diagnostics,
                                           std::int64_t lanes = 0, const backend::c::BuildOptions& build = {});

} // namespace cyclotron::driver
