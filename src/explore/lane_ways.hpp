// SPDX-License-Identifier: MIT
// What every tensor does in a design, as Rong et al. name designs by three letters: inputs are Broadcast, Stay, or go
// Forward from element to element; results Stay or Move.
//
//   z(c) = x(c+q) * w(q), spacetime (c, q) -> (s, t) = [1 1; 0 1]   -->   x stays, w broadcast, z moves: SBM
#pragma once

#include "dataflow/ir.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cyclotron::explore {

enum class LaneWay { loaded, broadcast, stays, forward, moves };

using LaneWays = std::vector<std::pair<std::string, LaneWay>>; // inputs, then what is computed

LaneWays lane_ways_of(const dataflow::Program& program);

std::string letters_of(const LaneWays& ways); // `SBM`; an input that is loaded wherever it is used is `L`
std::string describe(const LaneWays& ways);   // `x stays, w broadcast, z moves`

} // namespace cyclotron::explore
