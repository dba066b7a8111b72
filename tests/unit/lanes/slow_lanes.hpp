// SPDX-License-Identifier: MIT
// Lanes that are run as slowly and as literally as reads.hpp says: registers that rotate or stand still, memories
// between strips, tables. What a value is stands for itself: it is a number made of the operands of its rule, so that
// two runs agree only where every operand is the right one.
#pragma once

#include "lanes/ir.hpp"
#include "lanes/points.hpp"

#include <string>

namespace cyclotron::lanes {

// What differs from the plain evaluation of the equations, or is read where nothing is; "" where all is right. Also
// counts the values that came from registers of other lanes, which a test may want to have happened.
struct SlowRun {
  std::string problem;
  std::int64_t computed = 0, shifted = 0, from_other_strips = 0;
};
SlowRun run_slowly(const Program& program, const Sizes& sizes);

} // namespace cyclotron::lanes
