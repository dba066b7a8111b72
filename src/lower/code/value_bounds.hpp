// SPDX-License-Identifier: MIT
// How large whole numbers can become, so that kernels need not look for what does not fit its type.
//
//   H(i,j) = max(H(i-1,j-1) + s, H(i-1,j) - 1)   -->   with |s| <= 2 and 300 steps: at most 600
//
// Each step adds a number that is known to values that were there before, as sums, extremes and choices do. Where a
// step multiplies what was there before, there is no such bound.
#pragma once

#include "lanes/ir.hpp"
#include "lower/code/operations.hpp"

#include <map>
#include <optional>
#include <string>

namespace cyclotron::lower {

// At these sizes, and with inputs whose elements are at most so large: what no whole number that is computed exceeds,
// intermediate ones included. Nothing where there is no bound.
std::optional<double> largest_whole_number(const lanes::Program& program,
                                           const std::map<std::string, std::int64_t>& sizes,
                                           const std::map<std::string, double>& inputs);

// The arithmetic that such a bound allows.
Arithmetic arithmetic_for(const lanes::Program& program, const std::optional<double>& largest);

} // namespace cyclotron::lower
