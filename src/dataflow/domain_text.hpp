// SPDX-License-Identifier: MIT
// Sets of points as the text form writes them: `0 <= i < n, j mod 2 == 0`.
#pragma once

#include "recurrence/affine_maps.hpp"

#include <string>
#include <vector>

namespace cyclotron::dataflow {

// Alternatives of conditions, without those that hold for all points of `everywhere`. Where a set needs a division it
// stands among the names: `floor((i+1)/2)`.
std::vector<std::vector<recurrence::Condition>> conditions_of(const isl::set& set, const isl::set& everywhere,
                                                              const std::vector<std::string>& names,
                                                              const recurrence::Program& program);
bool divides(const recurrence::Condition& condition);

// The conditions, lower and upper bounds of one name in one chain; empty where all hold anyway.
std::string text_of(const std::vector<recurrence::Condition>& conditions, const std::vector<std::string>& names);

// The whole set, alternatives joined by `or`.
std::string text_of(const isl::set& set, const isl::set& everywhere, const std::vector<std::string>& names,
                    const recurrence::Program& program);

} // namespace cyclotron::dataflow
