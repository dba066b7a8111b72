// SPDX-License-Identifier: MIT
// Computed places: elements that are looked up, and results that are written where a formula says.
#include "lower/stream/builder.hpp"
#include "lower/stream/places.hpp"

#include <algorithm>
#include <limits>

namespace cyclotron::lower {

using stream::Block;
using stream::Node;

// What of an operand can be looked up now that this loop has begun; -1: before all loops.
void StreamBuilder::look_up(int operand, int scope, int loop) {
  const StreamOperand& o = equation_.operands[static_cast<std::size_t>(operand)];
  Source& ref = ref_[static_cast<std::size_t>(operand)];
  for (const std::size_t dimension : looked_up_at(o, order_, loop)) {
    const auto level = std::ranges::find(o.at.format.order, static_cast<int>(dimension)) - o.at.format.order.begin();
    Node node;
    node.block = Block::lookup;
    if (loop >= 0) node.index = order_[static_cast<std::size_t>(loop)];
    node.operand = o.at.name;
    node.tensor = o.at.tensor;
    node.mode = static_cast<int>(dimension);
    node.format = o.at.format.levels[static_cast<std::size_t>(level)];
    node.root = ref.node < 0;
    node.offset = o.places[dimension].constant;
    std::vector<Source> coordinates;
    for (const auto& [variable, factor] : o.places[dimension].terms) {
      node.others.push_back(factor);
      coordinates.push_back(held_coordinate(variable, scope));
    }
    const int made = add(node);
    connect(ref, made, 0);
    for (std::size_t i = 0; i < coordinates.size(); ++i) connect(coordinates[i], made, static_cast<int>(i) + 1);
    ref = {made, 0};
    may_be_absent_[static_cast<std::size_t>(operand)] = true;
    last_union_[operand] = std::numeric_limits<std::size_t>::max(); // unions before it say nothing any more
  }
}

// The coordinates of a loop, once per coordinate of the innermost one so far.
StreamBuilder::Source StreamBuilder::held_coordinate(const std::string& of, int scope) {
  Source value;
  for (const Level& level : levels_around(scope)) {
    if (level.variable == of) {
      value = level.crd;
    } else if (value.node >= 0) {
      const auto key = std::make_pair(value, level.crd);
      if (!held_.count(key)) held_[key] = repeated(value, level.crd, of, level.variable);
      value = held_.at(key);
    }
  }
  return value;
}

// Whether its value changes from one coordinate of the loop to the next.
bool StreamBuilder::depends(const StreamTerm& term, const std::string& variable) const {
  return std::ranges::any_of(operands_in(term), [&](int operand) {
    return equation_.operands[static_cast<std::size_t>(operand)].uses(variable);
  });
}

// The coordinates of the result's dimensions, from those of the loops, all of one shape.
std::vector<StreamBuilder::Source> StreamBuilder::placed(const std::vector<Source>& outputs) {
  std::vector<Source> dimensions;
  for (const recurrence::Affine& place : equation_.result_places) {
    const auto same = std::ranges::find_if(equation_.outputs, [&](const std::string& v) {
      return place == recurrence::Affine{{{v, 1}}, 0};
    });
    if (same != equation_.outputs.end()) {
      dimensions.push_back(outputs[static_cast<std::size_t>(same - equation_.outputs.begin())]);
      continue;
    }
    Node node;
    node.block = Block::crdplace;
    node.offset = place.constant;
    std::vector<Source> of;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::int64_t factor = place.coefficient(equation_.outputs[i]);
      // A place that depends on no loop is said once per coordinate of one.
      if (factor == 0 && !(place.is_constant() && i == 0)) continue;
      node.others.push_back(factor);
      node.index = equation_.outputs[i];
      of.push_back(outputs[i]);
    }
    node.root = outputs.empty();
    if (node.root) node.others = {0};
    const int made = add(node);
    for (std::size_t i = 0; i < of.size(); ++i) connect(of[i], made, static_cast<int>(i));
    dimensions.push_back({made, 0});
  }
  return dimensions;
}

} // namespace cyclotron::lower
