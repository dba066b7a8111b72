// SPDX-License-Identifier: MIT
// What the run waited for, from its first cycle to its last: no block on this path could have been later without making
// the whole run longer, all others could.
#pragma once

#include "backend/sam/machine.hpp"

namespace cyclotron::sam {

// Of a run that recorded and has ended. The steps are in order, without gaps.
std::vector<PathStep> critical_path(const Machine& machine);

} // namespace cyclotron::sam
