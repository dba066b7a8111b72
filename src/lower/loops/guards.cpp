// SPDX-License-Identifier: MIT
#include "lower/loops/guards.hpp"

#include <algorithm>

namespace cyclotron::lower {

using loops::Bound;
using loops::Condition;
using loops::Loop;
using loops::Node;

void ask_for_one(Loop& loop) {
  if (loop.ranges.size() != 1) return;
  const loops::Range range = loop.ranges[0];
  const auto value = std::find_if(range.lower.begin(), range.lower.end(), [&](const Bound& b) {
    return b.divisor == 1 && std::find(range.upper.begin(), range.upper.end(), b) != range.upper.end();
  });
  if (value == range.lower.end()) return;
  for (const Bound& b : range.lower)
    if (b != *value) loop.guard.push_back({b.divisor * value->value - b.value, Condition::Kind::nonnegative});
  for (const Bound& b : range.upper)
    if (b != *value) loop.guard.push_back({b.value - b.divisor * value->value, Condition::Kind::nonnegative});
  loop.ranges[0] = {{*value}, {*value}};
}

void hoist_guards(std::vector<Node>& body) {
  for (Node& node : body) {
    Loop* loop = std::get_if<Loop>(&node.kind);
    if (!loop) continue;
    hoist_guards(loop->body);
    const auto guard = [](Node& n) -> std::vector<Condition>& {
      return std::visit([](auto& k) -> std::vector<Condition>& { return k.guard; }, n.kind);
    };
    const auto same = [](const Condition& a, const Condition& b) { return a.kind == b.kind && a.affine == b.affine; };
    const std::vector<Condition> first = guard(loop->body.front());
    for (const Condition& c : first) {
      if (c.affine.coefficient(loop->variable) != 0) continue;
      const bool everywhere = std::all_of(loop->body.begin(), loop->body.end(), [&](Node& n) {
        return std::any_of(guard(n).begin(), guard(n).end(), [&](const Condition& o) { return same(c, o); });
      });
      if (!everywhere) continue;
      for (Node& n : loop->body) std::erase_if(guard(n), [&](const Condition& o) { return same(c, o); });
      loop->guard.push_back(c);
    }
  }
}

} // namespace cyclotron::lower
