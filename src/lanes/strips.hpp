// SPDX-License-Identifier: MIT
// Cuts an array into strips as long as a vector, and says in which order they are done.
#pragma once

#include "lanes/ir.hpp"

namespace cyclotron::lanes {

// { [place - from] } of all points that a rule computes.
isl::set places_of(const dataflow::Program& program, const recurrence::Affine& from);

// { [place] }: from `first` to `last`, or without end.
isl::set place_between(const dataflow::Program& program, std::int64_t first, std::optional<std::int64_t> last);

// The place that the first strip begins with, before which no element is; nothing where that is no formula, unless
// sizes are numbers.
std::optional<recurrence::Affine> first_element(const dataflow::Program& program);

// So many elements at most, where there is such a number.
std::optional<std::int64_t> most_elements(const dataflow::Program& program, const recurrence::Affine& from);

// Which strips need others: by the ways that values take that are no copies.
Strips order_of_strips(const Program& program);

} // namespace cyclotron::lanes
