// SPDX-License-Identifier: MIT
// How a block changes the depth of streams, the number of their stop levels.
#pragma once

#include "stream/ir.hpp"

#include <string>
#include <vector>

namespace cyclotron::stream {

// What leaves a block where streams of these depths reach its inputs; that of a skip wire does not count.
// `problem`: empty, or a clause that follows the block's name.
struct BlockDepths {
  std::vector<int> outputs;
  std::string problem;
};

BlockDepths depths_through(const Node& node, const std::vector<int>& inputs);

} // namespace cyclotron::stream
