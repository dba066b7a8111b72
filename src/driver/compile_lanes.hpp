// SPDX-License-Identifier: MIT
// From a checked program and a schedule to lanes: what stands behind the passes, and which axis the lanes are along
// where the schedule does not say. The pipeline itself is in pipelines.cpp.
#pragma once

#include "driver/compile_array.hpp"
#include "lanes/ir.hpp"

namespace cyclotron::driver {

struct CompiledLanes {
  MappedProgram source;
  lower::LoweredDataflow dataflow;
  lanes::Program program;

  std::string describe() const; // the schedule with what was chosen: a few lines
  bool says_threads() const;    // the schedule gives loops to blocks or threads
};

// The pipeline, for a request that has a `machine`. Sizes are needed only where the program says so.
std::optional<CompiledLanes> compile_lanes(ArrayRequest request, Diagnostics& diagnostics);

// Makes the lanes with a mapping that is given.
using WithMapping = std::optional<CompiledLanes> (*)(MappedProgram program, Diagnostics& diagnostics);

// The axis as the schedule has it. Else the index along which most runs at once and lies together in memory; where none
// works, with another order of the steps.
std::optional<CompiledLanes> choose_lanes(MappedProgram program, WithMapping with_mapping, Diagnostics& diagnostics);

} // namespace cyclotron::driver
