// SPDX-License-Identifier: MIT
// Graphs as Graphviz files, with the names and attributes of the published tools.
//
// What the published form cannot say stands in further attributes: of an edge, its ports (`from`, `to`); of the graph,
// its equation (`title`), `order`, `operands`, `result`; of a block, those of attributes.hpp. A reader takes them where
// they are; where they are not, it finds out ports, operands and the order of loops as the published tools do.
#pragma once

#include "stream/ir.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::stream {

// How a picture differs from the plain one.
struct NodePaint {
  std::string fill, font; // colours; empty: the usual ones
  std::string note;       // one more line of the label
};

struct EdgePaint {
  double thickness = 0; // in points; 0: as its type says
  std::string note;
};

struct Painting {
  std::vector<NodePaint> nodes; // empty, or one for each
  std::vector<EdgePaint> edges;
  std::string caption; // one more line of the title
};

// One `digraph` for each phase; `paintings` is empty or has one for each. parse_dot(print_dot(x)) == x.
std::string print_dot(const std::vector<Graph>& phases, const std::vector<Painting>& paintings = {});

// Broadcast nodes dissolve. The graphs are not verified.
std::optional<std::vector<Graph>> parse_dot(std::int32_t file, Diagnostics& diagnostics);

} // namespace cyclotron::stream
