// SPDX-License-Identifier: MIT
// Loops get the names that people gave: a loop that counts a coordinate is called like it.
#pragma once

#include "pe/ir.hpp"

namespace cyclotron::lower {

// `for c0 = 1 .. 7 { step C(i = i, k = c0) }` --> `for k = 1 .. 7 { step C(i = i, k = k) }`; other loops are `t`, `t2`.
void name_loops(std::vector<pe::Statement>& body, const std::vector<std::string>& axes);

} // namespace cyclotron::lower
