// SPDX-License-Identifier: MIT
// Conditions on the indices of loops: coordinates that fail one are masked, in the innermost loop that it names.
#include "lower/stream/builder.hpp"

#include <algorithm>

namespace cyclotron::lower {

using stream::Block;
using stream::Node;

StreamBuilder::Merged StreamBuilder::with_conditions(Merged merged, const std::string& variable, int scope) {
  std::vector<std::string> visible = {variable};
  for (const Level& level : levels_around(scope)) visible.push_back(level.variable);
  for (const StreamCondition& c : equation_.conditions) {
    const auto is_variable = [&](const std::string& name) { return std::ranges::count(order_, name) > 0; };
    const bool seen = std::ranges::all_of(c.left.terms, [&](const auto& term) {
      return !is_variable(term.first) || std::ranges::count(visible, term.first);
    });
    if (c.at_end && !merged.counts) continue;
    if (seen && c.left.coefficient(variable) != 0) merged = mask(merged, c, variable, scope);
  }
  return merged;
}

StreamBuilder::Merged StreamBuilder::mask(Merged merged, const StreamCondition& condition, const std::string& variable,
                                          int scope) {
  Node node;
  node.block = Block::crdmask;
  node.index = variable;
  node.relation = condition.relation;
  node.factor = condition.left.coefficient(variable);
  node.offset = condition.left.constant;
  node.widths = {static_cast<int>(merged.carried.size())};
  std::vector<Source> others;
  for (const auto& [name, factor] : condition.left.terms) {
    if (name == variable) continue;
    if (const auto size = sizes_.find(name); size != sizes_.end()) {
      node.offset += factor * size->second;
      continue;
    }
    node.others.push_back(factor);
    others.push_back(held_value(name, merged, variable, scope));
  }
  const int made = add(node);
  connect(merged.crd, made, 0);
  int port = 1;
  for (const int operand : merged.carried) {
    connect(ref_[static_cast<std::size_t>(operand)], made, port);
    ref_[static_cast<std::size_t>(operand)] = {made, port++};
  }
  for (const Source& s : others) connect(s, made, port++);
  return {{made, 0}, merged.carried, true, false, merged.counts};
}

// The coordinates of an outer loop, once per coordinate of this one.
StreamBuilder::Source StreamBuilder::held_value(const std::string& of, const Merged& at, const std::string& variable,
                                                int scope) {
  Source value;
  for (const Level& level : levels_around(scope)) {
    if (level.variable == of) value = level.crd;
    else if (value.node >= 0) value = repeated(value, level.crd, of, level.variable);
  }
  return repeated(value, at.crd, of, variable);
}

} // namespace cyclotron::lower
