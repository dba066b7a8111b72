// SPDX-License-Identifier: MIT
// Moves the conditions of loops and statements to where testing them is cheapest.
#pragma once

#include "loops/ir.hpp"

namespace cyclotron::lower {

// A loop `front <= i < front+1, i <= m` has one iteration, or none if `front > m`. That is tested before the loop.
void ask_for_one(loops::Loop& loop);

// A condition that all statements of a loop have, and that does not mention its variable, is tested once, before it.
void hoist_guards(std::vector<loops::Node>& body);

} // namespace cyclotron::lower
