// SPDX-License-Identifier: MIT
// isl's loops to statements of a PE: scanning points in the order of a schedule.
#pragma once

#include "pe/ir.hpp"

#include <isl/ast.h>
#include <isl/cpp.h>

#include <functional>
#include <string>
#include <vector>

namespace cyclotron::lower {

// What to do at a point: `tuple` is the name of the set that it comes from.
using MakeStatement = std::function<pe::Statement(const std::string& tuple, const std::vector<pe::Index>& coordinates)>;

// Statements that visit the domain of `schedule` in its order. `context`: what holds of the parameters. Ranges where
// different points are visited get loops of their own.
std::vector<pe::Statement> statements_of(const isl::union_map& schedule, const isl::set& context,
                                         const MakeStatement& make);

constexpr int all_levels = 64; // more than there are

// The same for several schedules of one program. `levels`: of how many dimensions of time the loops are so divided;
// fewer, from then on, where that takes long.
std::vector<pe::Statement> statements_of(const isl::union_map& schedule, const isl::set& context,
                                         const MakeStatement& make, int& levels);

// The points of a set of parameters as tests.
std::vector<pe::Tests> tests_of(const isl::set& parameters);

} // namespace cyclotron::lower
