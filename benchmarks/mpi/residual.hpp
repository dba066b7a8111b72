// SPDX-License-Identifier: MIT
// Is a distributed result right? Both sides of its equation are applied to one vector: C x = A (B x), L (X x) = B x,
// L (L' x) = A x. No rank holds more than vectors; inputs are made again from their formulas.
#pragma once

#include "contest.hpp"

namespace cyclotron::bench {

// |left - right| / |right| in the 2-norm, the same on all ranks; an error of one element of ordinary size shows.
double relative_residual(const Problem&, const std::vector<Block>& result);

} // namespace cyclotron::bench
