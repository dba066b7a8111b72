// SPDX-License-Identifier: MIT
// Conditions of loops, asked where that is cheapest.
#pragma once

#include "loops/ir.hpp"

namespace cyclotron::lower {

// `front <= i < front+1, i <= m` is one value, or none where `front > m`: that is asked before the loop.
void ask_for_one(loops::Loop& loop);

// A condition that all of a loop's body has and that does not mention its variable is asked once, before it.
void hoist_guards(std::vector<loops::Node>& body);

} // namespace cyclotron::lower
