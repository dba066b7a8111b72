// SPDX-License-Identifier: MIT
// The small functions that generated code calls, as C text.
#pragma once

#include <set>
#include <string>

namespace cyclotron::backend::c {

// The functions of these names, in an order that compiles.
std::string prelude(const std::set<std::string>& used);

} // namespace cyclotron::backend::c
