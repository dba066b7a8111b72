// SPDX-License-Identifier: MIT
// The order of rules inside a step, and which values may be overwritten in the step that reads the old one.
#pragma once

#include "lower/pe/channels.hpp"

#include <set>

namespace cyclotron::lower {

struct StepOrder {
  std::vector<std::vector<std::size_t>> rules; // per space
  std::set<std::pair<int, std::string>> in_place;
};

// C <- C + A*B: the old C is read before the new one is there, so both share a register. Refuses values of one point
// that need each other.
std::optional<StepOrder> step_order_of(const dataflow::Program& program, const std::vector<Read>& reads,
                                       Diagnostics& diagnostics);

// The rule only moves a value: `(i, j)_A <- (i, j-1)_A`.
bool only_moves(const dataflow::Rule& rule);

} // namespace cyclotron::lower
