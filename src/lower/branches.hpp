// SPDX-License-Identifier: MIT
// What a branch of `select`, `and` or `or` says about where an expression is evaluated.
#pragma once

#include "recurrence/polyhedra.hpp"
#include "recurrence/types.hpp"

namespace cyclotron::lower {

// Whether `with` adds all that `condition` being `value` says.
bool is_affine(const recurrence::Expr& condition, bool value, const recurrence::Program& program);

// Adds what `condition` being `value` says about indices, where that is a conjunction of comparisons.
std::vector<recurrence::Condition> with(std::vector<recurrence::Condition> conditions,
                                        const recurrence::Expr& condition, bool value,
                                        const recurrence::Program& program);

// What a reduction of nothing is.
recurrence::Expr identity(recurrence::Reducer reducer, tensor::ValueType type);

// `sum[j](select(j < i, A(i,j), 0))` is that of A(i,j) where j < i: says so in the conditions, and returns what is left
// of the body.
recurrence::Expr narrowed(const recurrence::Reduce& reduce, std::vector<recurrence::Condition>& conditions,
                          const recurrence::Types& types, const recurrence::Program& program);

} // namespace cyclotron::lower
