// SPDX-License-Identifier: MIT
// A proof that an order of computation exists which reads the equations alone and does not ask isl, where most of the
// time of such a check goes.
#pragma once

#include "recurrence/ir.hpp"

namespace cyclotron::frontend {

// True where tensors that need each other in a circle do so step by step: every read on the circle is of a step that is
// a fixed number of steps back, and those of the same step make no circle. Says nothing where it is false.
bool ordered_by_steps(const recurrence::Program& program);

} // namespace cyclotron::frontend
