// SPDX-License-Identifier: MIT
// Gives every name its meaning.
#pragma once

#include "frontend/unit.hpp"

namespace cyclotron::frontend {

// Decides for each name whether it is an index, a size, a constant or a tensor, and reports those that are
// nothing, declared twice, or bound twice. A size is a name that stands in a dimension, an `assume`, a
// `default`, or only in constraints.
//   x(i) = a*s + n   -->   Access x(Index i) = Constant a * Access s() + Size n
// Does not look at ranks, types or ranges.
Unit resolve(const Unit& unit, Diagnostics& diagnostics);

// The same for declarations alone: the program may have no equations.
Unit resolve_declarations(const Unit& unit, Diagnostics& diagnostics);

// Makes the implied sums explicit.
//   y(i) = A(i,j) * x(j) + b(i)   -->   y(i) = sum[j](A(i,j) * x(j)) + b(i)
// Each index that no reduction binds is summed over the smallest term that holds all its uses; where that term
// is the bare argument of a function there are two readings, and the program is refused.
Unit expand_sums(const Unit& unit, Diagnostics& diagnostics);

} // namespace cyclotron::frontend
