// SPDX-License-Identifier: MIT
// Which edges meet at each port.
#pragma once

#include "stream/ir.hpp"

#include <vector>

namespace cyclotron::stream {

// Edges by their places in Graph::edges, for [node][port]. Only for a graph whose edges join ports that exist.
struct Wiring {
  std::vector<std::vector<std::vector<int>>> into, out_of;

  explicit Wiring(const Graph& graph);
  int source(int node, int port) const { return into[node][port].empty() ? -1 : into[node][port].front(); }
};

} // namespace cyclotron::stream
