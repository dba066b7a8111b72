// SPDX-License-Identifier: MIT
// How a nest came about, for people: the statements placed one after the other, what is ready where, and why.
//
//   2: L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)
//     A(i,j): an input
//     tL(i,j): computed above, in this iteration of `for j < i`
//     L(j,j): from earlier iterations of `for i`
//
//     for i
//       ready L(:i,:)
//       ...
#pragma once

#include "lower/loops/recurrence_to_loops.hpp"

namespace cyclotron::lower {

// Works from the finished nest and its dependences: what it says is so, whatever placement did to find out.
std::string explain(const LoweredLoops& lowered, const recurrence::Domains& domains);

} // namespace cyclotron::lower
