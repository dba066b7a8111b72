// SPDX-License-Identifier: MIT
// The syntax of Graphviz files, as far as graphs of blocks use it: what is said, not what it means.
#pragma once

#include "support/diagnostics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::stream {

struct DotAttribute {
  std::string name;
  std::string value; // without quotes
  Span span;         // of the value
};

// Later values of an attribute replace earlier ones.
struct DotAttributes {
  std::vector<DotAttribute> list;

  const DotAttribute* find(std::string_view name) const;
  void set(DotAttribute attribute);
};

struct DotNode {
  std::string id;
  Span span;
  DotAttributes attributes;
};

struct DotEdge {
  std::string from, to;
  Span from_span, to_span;
  DotAttributes attributes;
  Span span() const { return cover(from_span, to_span); }
};

struct DotGraph {
  Span span; // of its name, or of `digraph`
  DotAttributes attributes;
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;
};

// Every `digraph` of the file. Subgraphs only group; what they hold belongs to the graph.
std::optional<std::vector<DotGraph>> read_dot_syntax(std::int32_t file, Diagnostics& diagnostics);

} // namespace cyclotron::stream
