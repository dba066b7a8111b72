// SPDX-License-Identifier: MIT
#include "lower/stream/buffers.hpp"

#include "stream/verify.hpp"

#include <algorithm>
#include <deque>
#include <set>

namespace cyclotron::lower {
namespace {

using stream::Block;
using stream::Edge;
using stream::Graph;
using stream::Node;

// The scanner or locator of the operand's innermost level that this scanner leads to. With copies there are several.
int innermost_of(const Graph& graph, int scanner) {
  const Node& first = graph.nodes[static_cast<std::size_t>(scanner)];
  const int mode = graph.operand(first.operand)->format.order.back();
  std::deque<int> open = {scanner};
  std::set<int> seen = {scanner};
  for (; !open.empty(); open.pop_front()) {
    const Node& n = graph.nodes[static_cast<std::size_t>(open.front())];
    const bool walks = n.block == Block::fiberlookup || n.block == Block::locate;
    if (walks && n.operand == first.operand && n.mode == mode) return open.front();
    for (const Edge& e : graph.edges)
      if (e.from == open.front() && seen.insert(e.to).second) open.push_back(e.to);
  }
  return -1;
}

// In front of the scanner; what fed it feeds the buffer.
int insert(Graph& graph, int scanner, const StreamBuffer& buffer) {
  Node& to = graph.nodes[static_cast<std::size_t>(scanner)];
  Node node;
  node.block = Block::buffer;
  node.index = to.index;
  node.operand = to.operand;
  node.tensor = to.tensor;
  node.mode = to.mode;
  node.format = to.format;
  node.root = to.root;
  node.bytes = buffer.bytes;
  node.rate = buffer.rate;
  node.latency = buffer.latency;
  to.root = false;
  const int made = graph.add(node);
  for (Edge& e : graph.edges)
    if (e.to == scanner && e.to_port == 0) e.to = made;
  graph.connect(made, 0, scanner, 0);
  return made;
}

} // namespace

int add_buffer(Graph& graph, const StreamBuffer& buffer) {
  const auto depths = stream::depths_of(graph);
  if (!depths) bug("buffers are put into graphs that are right");
  int count = 0;
  for (int n = 0; n < static_cast<int>(depths->size()); ++n) {
    const Node& node = graph.nodes[static_cast<std::size_t>(n)];
    if (node.block != Block::fiberlookup || node.tensor != buffer.tensor || node.index != buffer.index) continue;
    const int innermost = innermost_of(graph, n);
    if (innermost < 0) continue;
    const int levels =
        (*depths)[static_cast<std::size_t>(innermost)][0] - (*depths)[static_cast<std::size_t>(n)][0] + 1;
    const int made = insert(graph, n, buffer);
    graph.nodes[static_cast<std::size_t>(made)].order = levels;
    graph.connect(innermost, 0, made, 1);
    ++count;
  }
  return count;
}

} // namespace cyclotron::lower
