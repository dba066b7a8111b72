// SPDX-License-Identifier: MIT
// A fast way to find the structure of a result: row by row, straight from the levels of the operands into those of the
// result. It works for rules that do not need their own result, if the operands are stored in an order in which the
// rows of the result come one after the other.
#pragma once

#include "recurrence/structure_rules.hpp"

#include <functional>
#include <optional>

namespace cyclotron::recurrence::structure {

// The storage of a relation; null where it is known by other means only.
using Stored = std::function<const tensor::Tensor*(int relation)>;

// The levels of the head of these rules, values left out. Nothing where the rules have to be run in another way:
// conditions, coordinates that are not variables, formats other than dense levels above compressed ones (and
// coordinate lists as operands), operands that would have to be searched or sorted.
std::optional<tensor::Tensor> rows_of(const SparseTensor& head, const std::vector<const Rule*>& rules,
                                      const Stored& stored);

} // namespace cyclotron::recurrence::structure
