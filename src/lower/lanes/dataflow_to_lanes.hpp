// SPDX-License-Identifier: MIT
// From an array of one axis to vectors: all processing elements do their steps at once, in the lanes of a vector.
//
//   space z(c, q) at place c, time q   -->   lanes 16 of 4, strips parallel: 64 elements c at a time
#pragma once

#include "lanes/ir.hpp"
#include "lower/dataflow/find_timing.hpp"
#include "lower/lanes/lane_machine.hpp"

#include <optional>

namespace cyclotron::lower {

// Reports arrays that have no lanes: several axes, tiles, values that are needed before they can be there, loops whose
// iterations need each other given to workers, more registers than the machine has. Nothing without a message: this
// needs sizes as numbers. `timing`: how one is found, for arrays that need one.
std::optional<lanes::Program> dataflow_to_lanes(const dataflow::Program& program, const LaneMachine& machine,
                                                Diagnostics& diagnostics,
                                                const std::optional<TimingSearch>& timing = std::nullopt);

} // namespace cyclotron::lower
