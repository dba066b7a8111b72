// SPDX-License-Identifier: MIT
#include "lower/stream/places.hpp"

#include <algorithm>

namespace cyclotron::lower {
namespace {

using Names = std::vector<std::string>;

int place_in(const Names& order, const std::string& variable) {
  return static_cast<int>(std::ranges::find(order, variable) - order.begin());
}

// The innermost loop that a place depends on; -1: none.
int innermost(const recurrence::Affine& place, const Names& order) {
  int last = -1;
  for (const auto& [variable, factor] : place.terms) last = std::max(last, place_in(order, variable));
  return last;
}

} // namespace

void settle_places(StreamEquation& equation, const Names& order) {
  for (StreamOperand& o : equation.operands) {
    if (o.places.empty()) continue;
    int above = -1;
    for (const int level : o.at.format.order) {
      const auto d = static_cast<std::size_t>(level);
      const int own = innermost(o.places[d], order);
      if (own <= above) o.walked[d] = false;
      above = std::max(above, own);
    }
  }
}

std::vector<std::size_t> looked_up_at(const StreamOperand& operand, const Names& order, int place) {
  std::vector<std::size_t> dimensions;
  if (operand.places.empty()) return dimensions;
  int known = -1;
  for (const int level : operand.at.format.order) {
    const auto d = static_cast<std::size_t>(level);
    known = std::max(known, innermost(operand.places[d], order));
    if (known == place && !operand.walked[d]) dimensions.push_back(d);
  }
  return dimensions;
}

} // namespace cyclotron::lower
