// SPDX-License-Identifier: MIT
// The small functions that generated code calls, as C text.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace cyclotron::backend::c {

struct PreludeFunction {
  const char* name;
  std::vector<const char*> calls; // of the same list, or an earlier one
  const char* text;
};

// Kernels on tiles (tile_prelude.cpp).
const std::vector<PreludeFunction>& tile_functions();

// The functions of these names and those that they call, in an order that compiles.
std::string prelude(std::set<std::string> used);

} // namespace cyclotron::backend::c
