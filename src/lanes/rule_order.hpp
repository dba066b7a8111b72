// SPDX-License-Identifier: MIT
// Which rule comes before which at one time.
//
//   (i, j)_up <- (i-1, j)_H          -->   up, then H: H reads `up` of its own point
//   (i, j)_H <- (i, j)_up + 1
#pragma once

#include "lanes/flows.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace cyclotron::lanes {

using RulePairs = std::vector<std::pair<std::size_t, std::size_t>>; // numbers of rules: first, then

// The rules that give a value.
std::vector<std::size_t> writers_of(const dataflow::Program& program, const dataflow::Reference& what);

// Whether some points read what is computed at their own time.
bool may_share_time(const dataflow::Program& program, const Flow& flow);

// What is read at the time at which it is computed comes before what reads it.
RulePairs needs_at_one_time(const dataflow::Program& program, const std::vector<Flow>& flows);

// All rules such that every pair is in order, as they stand where there is a choice; nothing where pairs go in a
// circle.
std::optional<std::vector<std::size_t>> rules_in_order(std::size_t rules, const RulePairs& pairs);

} // namespace cyclotron::lanes
