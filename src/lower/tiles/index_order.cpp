// SPDX-License-Identifier: MIT
#include "lower/tiles/index_order.hpp"

#include <set>

namespace cyclotron::lower {

using recurrence::Affine;
using recurrence::Condition;

namespace {

std::vector<std::string> names_in(const Comparisons& a, const Comparisons& b) {
  std::set<std::string> names;
  for (const Comparison& c : a + b) names.insert({c.left, c.right});
  return {names.begin(), names.end()};
}

} // namespace

Comparisons operator+(Comparisons a, const Comparisons& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

isl::set IndexOrder::set_of(const Comparisons& all, const std::vector<std::string>& names) const {
  std::vector<Condition> conditions;
  for (const Comparison& c : all)
    conditions.push_back(recurrence::condition_of(Affine{{{c.left, 1}}, 0}, c.relation, Affine{{{c.right, 1}}, 0}));
  return recurrence::set_where(context_, no_sizes_, names, conditions);
}

bool IndexOrder::possible(const Comparisons& all) const { return !set_of(all, names_in(all, {})).is_empty(); }

bool IndexOrder::follows(const Comparison& one, const Comparisons& known) const {
  const auto names = names_in({one}, known);
  return set_of(known, names).is_subset(set_of({one}, names));
}

bool IndexOrder::equivalent(const Comparisons& a, const Comparisons& b) const {
  const auto names = names_in(a, b);
  return set_of(a, names).is_equal(set_of(b, names));
}

} // namespace cyclotron::lower
