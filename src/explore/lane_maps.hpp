// SPDX-License-Identifier: MIT
// Schedules that a program could have in lanes, before anyone asks whether they are legal: every small map of two of
// its indices to an axis and steps, with the others as loops around the steps or inside of them.
//
//   c, q  -->  spacetime (c, q) -> (s, t) = [1 0; 0 1]
//              spacetime (c, q) -> (s, t) = [1 1; 0 1]
//              …
#pragma once

#include <string>
#include <vector>

namespace cyclotron::explore {

struct LaneMaps {
  std::string axis = "s", step = "t"; // what the maps call them; "" where no step has a name
  std::vector<std::string> commands;  // of a schedule each: lines; maps with small entries first
};

// `taken`: names that the program has already.
LaneMaps lane_maps(const std::vector<std::string>& indices, const std::vector<std::string>& taken);

} // namespace cyclotron::explore
