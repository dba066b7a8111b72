// SPDX-License-Identifier: MIT
// What the streams of a graph are called in pictures: by the operand that a reference leads into, by the index that a
// coordinate belongs to.
#pragma once

#include "stream/ir.hpp"
#include "stream/wiring.hpp"

#include <string>
#include <vector>

namespace cyclotron::stream {

class WireNames {
public:
  explicit WireNames(const Graph& graph) : graph_(graph), wiring_(graph) {}

  // `in-C`, `out-C` at blocks that join, `outer-i`, `inner-j` at pairs of levels, as published; empty elsewhere.
  std::string comment(const Edge& edge) const;
  // The indices that a spaccumulator gathers, innermost first.
  std::vector<std::string> gathered(int node) const;

private:
  std::string index_at(int node, int output, int steps) const;
  std::string index_into(int node, int input, int steps) const;
  std::string operand_at(int node, int output, int steps) const;
  std::string side_of(const Edge& edge) const;

  const Graph& graph_;
  Wiring wiring_;
};

} // namespace cyclotron::stream
