// SPDX-License-Identifier: MIT
// The inputs that a schedule places in memories of the device.
//
//   place w in registers; place x in shared   -->   place w registers
//                                                   place x shared
#pragma once

#include "lower/lanes/lane_machine.hpp"

namespace cyclotron::lower {

// False where an error was reported: such an input cannot be there, or more is shared than a block has room for. How
// many registers are needed is not looked at.
bool place_inputs(lanes::Program& program, const LaneMachine& machine, Diagnostics& diagnostics);

} // namespace cyclotron::lower
