// SPDX-License-Identifier: MIT
// From which port to which port an edge of a Graphviz file leads. Our files say it; in the published ones it follows
// from the edge's type, its comment (`in-C`, `outer-i`) and the order of edges.
#pragma once

#include "stream/dot_syntax.hpp"
#include "stream/ir.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::stream {

// An edge from block to block; `first` and `last` differ where broadcast nodes lie between.
struct DotStream {
  int from = 0, to = 0;
  const DotEdge* first = nullptr;
  const DotEdge* last = nullptr;
  Wire wire = Wire::crd;
};

class PortFinder {
public:
  // Completes what the published files leave to their edges: the sides of blocks that join, and the levels above those
  // that a spaccumulator gathers.
  PortFinder(Graph& graph, const std::vector<DotNode>& blocks, const std::vector<DotStream>& streams,
             Diagnostics& diagnostics);

  std::optional<Edge> edge(const DotStream& stream);

private:
  struct Side {
    std::string name; // of an operand; else of the block that it comes from
    int references = 0;
  };

  void find_sides(int node, const std::vector<DotStream>& streams);
  void find_outer_levels(int node, const std::vector<DotStream>& streams);
  int find_port(int node, bool output, const DotStream& stream);
  int named_port(int node, bool output, const DotStream& stream, const DotAttribute& name);
  int choose(int node, bool output, const DotStream& stream, const std::vector<int>& candidates);
  int side_port(int node, bool output, const DotStream& stream) const;
  int gathered_port(int node, const DotStream& stream, const DotEdge& edge) const;
  std::string name(int node) const;

  Graph& graph_;
  const std::vector<DotNode>& blocks_;
  Diagnostics& diagnostics_;
  std::map<int, std::vector<Side>> sides_;
  std::vector<std::vector<bool>> taken_; // inputs
};

} // namespace cyclotron::stream
