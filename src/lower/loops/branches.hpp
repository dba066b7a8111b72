// SPDX-License-Identifier: MIT
// What a branch of `select`, `and` or `or` says about where an expression is evaluated.
#pragma once

#include "recurrence/polyhedra.hpp"
#include "recurrence/types.hpp"

namespace cyclotron::lower {

// What a condition says about indices, where that is a conjunction of comparisons, and whether that is all it says.
struct Said {
  std::vector<recurrence::Condition> conditions;
  bool all = false;
};
Said said_by(const recurrence::Expr& condition, bool value, const recurrence::Program& program);

std::vector<recurrence::Condition> with(std::vector<recurrence::Condition> conditions, const Said& said);

// What a reduction of nothing is.
recurrence::Expr identity(recurrence::Reducer reducer, tensor::ValueType type);

// `sum[j](select(j < i, A(i,j), 0))` is that of A(i,j) where j < i: says so in the conditions, and returns what is left
// of the body.
recurrence::Expr narrowed(const recurrence::Reduce& reduce, std::vector<recurrence::Condition>& conditions,
                          const recurrence::Types& types, const recurrence::Program& program);

} // namespace cyclotron::lower
