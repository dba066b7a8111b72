// SPDX-License-Identifier: MIT
#include "stream/wiring.hpp"

#include "stream/ports.hpp"

namespace cyclotron::stream {

Wiring::Wiring(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    into.emplace_back(inputs_of(node).size());
    out_of.emplace_back(outputs_of(node).size());
  }
  for (int e = 0; e < static_cast<int>(graph.edges.size()); ++e) {
    const Edge& edge = graph.edges[e];
    into[edge.to][edge.to_port].push_back(e);
    out_of[edge.from][edge.from_port].push_back(e);
  }
}

} // namespace cyclotron::stream
