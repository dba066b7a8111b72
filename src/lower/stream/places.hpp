// SPDX-License-Identifier: MIT
// Elements at computed places, such as x(i+1), A(i,i) or B(n-1-i, 0): which of their levels streams walk through, and
// when the others can be looked up.
//
// A level is walked through if an index stands there alone, and all levels above it are known outside the loop over
// that index. Of B(i+1, j), in the order i, j, row i+1 is looked up and then walked through. An operand that is looked
// up does not say which coordinates a loop has. An element that is not stored is zero.
#pragma once

#include "lower/stream/term.hpp"

namespace cyclotron::lower {

// Settles which levels are walked through in this order of the loops.
void settle_places(StreamEquation& equation, const std::vector<std::string>& order);

// The dimensions of an operand at computed places that are looked up as soon as the loop at this place of the order has
// begun, from the outermost level in; place -1: before all loops.
std::vector<std::size_t> looked_up_at(const StreamOperand& operand, const std::vector<std::string>& order, int place);

} // namespace cyclotron::lower
