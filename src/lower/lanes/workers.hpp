// SPDX-License-Identifier: MIT
// Which loops around the lanes run at once: those whose iterations do not need each other.
//
//   time (0, oc, t) and (1, oc, t), where nothing comes from another oc   -->   time oc worker, phase, t
#pragma once

#include "lanes/ir.hpp"
#include "lower/lanes/lane_machine.hpp"

namespace cyclotron::lower {

// Sets `time`, and puts the components of workers first: what the schedule gives to workers, then other leading ones.
// Copies of inputs that come from other iterations are loaded again, unless they are streamed. Reports loops that the
// schedule gives to workers though their iterations need each other; false then.
bool find_workers(lanes::Program& program, const LaneMachine& machine, Diagnostics& diagnostics);

} // namespace cyclotron::lower
