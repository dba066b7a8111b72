// SPDX-License-Identifier: MIT
#include "stream/wire_names.hpp"

#include "stream/ports.hpp"

#include <fmt/format.h>

namespace cyclotron::stream {
namespace {

bool has_pair_of_outputs(const Node& node) {
  return node.block == Block::crddrop || node.block == Block::crdhold || node.block == Block::bvdrop ||
         node.block == Block::split;
}

// Among ports of one type, the place of the one at `port`.
int place_among(const std::vector<Port>& ports, int port) {
  int place = 0;
  for (int p = 0; p < port; ++p) place += ports[p].wire == ports[port].wire ? 1 : 0;
  return place;
}

int port_at_place(const std::vector<Port>& ports, Wire wire, int place) {
  for (int p = 0; p < static_cast<int>(ports.size()); ++p)
    if (ports[p].wire == wire && place-- == 0) return p;
  return -1;
}

} // namespace

// Walks against the streams; `steps` ends the walk in a graph that has a cycle.
std::string WireNames::index_into(int node, int input, int steps) const {
  const int edge = wiring_.source(node, input);
  if (edge < 0 || steps > static_cast<int>(graph_.nodes.size())) return "";
  return index_at(graph_.edges[edge].from, graph_.edges[edge].from_port, steps + 1);
}

std::string WireNames::index_at(int node, int output, int steps) const {
  const Node& block = graph_.nodes[node];
  if (has_pair_of_outputs(block)) return output == 0 ? block.outer_index : block.inner_index;
  if (block.block == Block::spaccumulator) return index_into(node, output, steps);
  if (block.block == Block::parallelize || block.block == Block::serialize) return index_into(node, 0, steps);
  return block.index;
}

std::string WireNames::operand_at(int node, int output, int steps) const {
  const Node& block = graph_.nodes[node];
  if (!block.operand.empty() && block.block != Block::locate) return block.operand;
  const std::vector<Port> outputs = outputs_of(block);
  if (block.block == Block::locate && output == static_cast<int>(outputs.size()) - 1) return block.operand;
  const int input = port_at_place(inputs_of(block), outputs[output].wire, place_among(outputs, output));
  const int edge = input < 0 ? -1 : wiring_.source(node, input);
  if (edge < 0 || steps > static_cast<int>(graph_.nodes.size())) return block.index;
  return operand_at(graph_.edges[edge].from, graph_.edges[edge].from_port, steps + 1);
}

// A side is called after the first reference that it brings.
std::string WireNames::side_of(const Edge& edge) const {
  const std::vector<Port> ports = inputs_of(graph_.nodes[edge.to]);
  int named = edge.to_port;
  const bool coordinates_only = named + 1 == static_cast<int>(ports.size()) || ports[named + 1].wire != Wire::ref;
  if (ports[named].wire == Wire::crd && coordinates_only) return index_at(edge.from, edge.from_port, 0);
  if (ports[named].wire == Wire::crd) ++named;
  const int source = wiring_.source(edge.to, named);
  if (source < 0) return "";
  return operand_at(graph_.edges[source].from, graph_.edges[source].from_port, 0);
}

std::string WireNames::comment(const Edge& edge) const {
  const Node &from = graph_.nodes[edge.from], &to = graph_.nodes[edge.to];
  const Port port = outputs_of(from)[edge.from_port];
  if (joins(to)) return "in-" + side_of(edge);
  if (joins(from) && port.wire == Wire::ref) return "out-" + operand_at(edge.from, edge.from_port, 0);
  if (has_pair_of_outputs(from)) return port.name + "-" + index_at(edge.from, edge.from_port, 0);
  const std::string index = port.wire == Wire::val ? "vals" : index_at(edge.from, edge.from_port, 0);
  if (to.block == Block::crddrop) return "in-" + index;
  if (to.block == Block::crdhold) return index;
  if (port.wire != Wire::crd) return "";
  const bool gathers = to.block == Block::spaccumulator;
  if (!gathers && from.block != Block::spaccumulator) return "";
  const int level = gathers ? edge.to_port : edge.from_port;
  const int levels = gathers ? to.outer + to.order : from.outer + from.order;
  return (level == levels - 1 ? "inner-" : "outer-") + index;
}

std::vector<std::string> WireNames::gathered(int node) const {
  const Node& block = graph_.nodes[node];
  std::vector<std::string> indices;
  if (block.block != Block::spaccumulator) return indices;
  for (int level = block.outer + block.order - 1; level >= block.outer; --level)
    indices.push_back(index_into(node, level, 0));
  return indices;
}

} // namespace cyclotron::stream
