// SPDX-License-Identifier: MIT
// The loops that a schedule wants written out.
//
//   time t, q; 0 <= q <= 4; unroll q   -->   time t, q unrolled
#pragma once

#include "lower/lanes/lane_machine.hpp"

namespace cyclotron::lower {

// False where an error was reported: such a loop is not there, depends on sizes, or has another loop inside.
bool mark_unrolled(lanes::Program& program, const LaneMachine& machine, Diagnostics& diagnostics);

} // namespace cyclotron::lower
