// SPDX-License-Identifier: MIT
// How elements of tensors that one step reads or writes lie in memory, along the lanes.
//
//   place j, row-major:  B(k,j) together, A(i,k) the same for all, C(j,i) apart
#pragma once

#include "lanes/ir.hpp"

#include <array>

namespace cyclotron::lanes {

// How the elements of one access lie.
enum class Lie { same, together, apart };

// Of an element whose indices are formulas in the coordinates of the space.
Lie lie_of(const Program& program, int space, const recurrence::Point& indices);

// How many spaces have one element at a time that computes, the others waiting for their turns: those with the most
// loops around a point first.
using InTurns = std::array<std::size_t, 8>;
InTurns spaces_in_turns(const Program& program);

// How many of all accesses of the program have elements that lie apart.
std::size_t accesses_apart(const Program& program);

} // namespace cyclotron::lanes
