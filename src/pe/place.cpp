// SPDX-License-Identifier: MIT
#include "pe/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace cyclotron::pe {

using recurrence::Relation;

namespace {

__extension__ using Wide = __int128;

std::int64_t cut(Wide value) {
  constexpr Wide least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, least, most));
}

std::int64_t modulo(std::int64_t value, std::int64_t divisor) {
  const std::int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

} // namespace

std::int64_t apply(IndexOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
  case IndexOp::add: return cut(Wide{a} + b);
  case IndexOp::sub: return cut(Wide{a} - b);
  case IndexOp::mul: return cut(Wide{a} * b);
  case IndexOp::floor_div: return a / b - (a % b < 0 ? 1 : 0);
  case IndexOp::mod: return modulo(a, b);
  case IndexOp::min: return std::min(a, b);
  case IndexOp::max: return std::max(a, b);
  }
  bug("unknown operation");
}

bool related(std::int64_t a, Relation relation, std::int64_t b) {
  switch (relation) {
  case Relation::less: return a < b;
  case Relation::less_equal: return a <= b;
  case Relation::greater: return a > b;
  case Relation::greater_equal: return a >= b;
  case Relation::equal: return a == b;
  case Relation::not_equal: return a != b;
  }
  bug("unknown relation");
}

std::int64_t evaluate(const Index& index, const Values& value_of) {
  return match(
      index, [](const Whole& w) { return w.value; }, [&](const Variable& v) { return value_of(v.name); },
      [&](const Operation& o) { return apply(o.op, evaluate(o.lhs, value_of), evaluate(o.rhs, value_of)); });
}

bool holds(const std::vector<Tests>& any, const Values& value_of) {
  return std::any_of(any.begin(), any.end(), [&](const Tests& all) {
    return std::all_of(all.begin(), all.end(), [&](const Test& t) {
      return related(evaluate(t.lhs, value_of), t.relation, evaluate(t.rhs, value_of));
    });
  });
}

Grid::Grid(const Program& program) : axes_(program.axes), torus_(program.torus) {
  Element element;
  for (const Axis& a : axes_) element.at.push_back(a.first);
  const Values value_of = [&](const std::string& name) {
    for (std::size_t a = 0; a < axes_.size(); ++a)
      if (axes_[a].name == name) return element.at[a];
    bug("a role is played where an unknown axis says so");
  };
  const auto count = static_cast<std::size_t>(program.elements());
  elements_.reserve(count);
  while (elements_.size() < count) {
    element.role = -1;
    for (std::size_t r = 0; r < program.roles.size() && element.role < 0; ++r)
      if (holds(program.roles[r].where, value_of)) element.role = static_cast<int>(r);
    elements_.push_back(element);
    for (std::size_t a = axes_.size(); a-- > 0;) {
      if (++element.at[a] <= axes_[a].last) break;
      element.at[a] = axes_[a].first;
    }
  }
}

int Grid::neighbour(int element, const Channel& channel, int sign) const {
  std::int64_t index = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const std::int64_t extent = axes_[a].last - axes_[a].first + 1;
    std::int64_t along = elements_[static_cast<std::size_t>(element)].at[a] - axes_[a].first + sign * channel.offset[a];
    if (torus_[a]) along = modulo(along, extent);
    if (along < 0 || along >= extent) return -1;
    index = index * extent + along;
  }
  return static_cast<int>(index);
}

std::int64_t Grid::hops(const Channel& channel) const {
  std::int64_t sum = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const std::int64_t extent = axes_[a].last - axes_[a].first + 1;
    const std::int64_t around = torus_[a] && extent > 0 ? modulo(channel.offset[a], extent) : 0;
    sum += torus_[a] ? std::min(around, extent - around) : std::abs(channel.offset[a]);
  }
  return sum;
}

std::string Grid::name(int element) const {
  return fmt::format("[{}]", fmt::join(elements_[static_cast<std::size_t>(element)].at, ","));
}

} // namespace cyclotron::pe
