// SPDX-License-Identifier: MIT
// Graphs by hand, a block a line.
#pragma once

#include "stream/ir.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cyclotron::sam {

struct Builder {
  stream::Graph graph;

  int block(stream::Block kind, const std::string& index = "", const std::string& tensor = "") {
    stream::Node node;
    node.block = kind;
    node.index = index;
    node.operand = node.tensor = tensor;
    return graph.add(std::move(node));
  }
  stream::Node& last() { return graph.nodes.back(); }

  int scanner(const std::string& tensor, const std::string& index, int mode, bool root = false,
              tensor::LevelKind format = tensor::LevelKind::compressed) {
    const int made = block(stream::Block::fiberlookup, index, tensor);
    last().mode = mode;
    last().root = root;
    last().format = format;
    return made;
  }
  int joiner(stream::Block kind, const std::string& index, std::vector<int> widths) {
    const int made = block(kind, index);
    last().widths = std::move(widths);
    return made;
  }
  int alu(stream::Operation operation) {
    const int made = block(stream::Block::alu);
    last().operation = operation;
    return made;
  }
  int writer(const std::string& tensor, const std::string& index, int mode) {
    const int made = block(stream::Block::fiberwrite, index, tensor);
    last().mode = mode;
    return made;
  }
  // Writers of a result with these levels in the order of the dimensions.
  void result(const std::string& tensor, std::vector<tensor::LevelKind> levels) {
    graph.result.tensor = tensor;
    graph.result.format = {std::move(levels), {}};
    for (int d = 0; d < graph.result.format.rank(); ++d) graph.result.format.order.push_back(d);
  }
  void connect(int from, int from_port, int to, int to_port) { graph.connect(from, from_port, to, to_port); }
};

} // namespace cyclotron::sam
