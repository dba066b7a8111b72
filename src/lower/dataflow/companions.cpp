// SPDX-License-Identifier: MIT
// Which equations share a space: those over the same variables at the same places that depend on each other at fixed
// distances, so that what they compute at a point is one step.
#include "lower/dataflow/dataflow_builder.hpp"
#include "recurrence/steady_parts.hpp"

#include <isl/set.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

bool has_sums(const ArrayEquation& e) { return !e.sums.empty(); }

} // namespace

// { [point of the reader] -> [point of the other that defines what it reads there] }.
isl::map DataflowBuilder::points_read(const Access& access, const ArrayEquation& reader,
                                      const ArrayEquation& on) const {
  return map_to(context(), source(), reader.variables, equations_.element_of(access, reader))
      .intersect_domain(reader.domain)
      .apply_range(on.defines.reverse());
}

// Whether `reader` reads `on` only at fixed distances from its own point.
bool DataflowBuilder::depends_uniformly(const ArrayEquation& reader, const ArrayEquation& on, bool& at_all) const {
  bool uniform = true;
  ir::walk<ExprNode>(reader.source->value, [&](const Expr& x) {
    const Access* a = as<Access>(x);
    if (!a || a->tensor != on.tensor) return;
    const isl::map to = points_read(*a, reader, on);
    if (to.is_empty()) return;
    at_all = true;
    const auto pieces = uniform_pieces_of(context(), to, reader.variables, source());
    uniform &= pieces.has_value();
    for (const Piece& p : pieces.value_or(std::vector<Piece>{}))
      for (std::size_t v = 0; v < reader.variables.size(); ++v)
        uniform &= (p.point[v] - plain(reader.variables[v])).is_constant();
  });
  return uniform;
}

// Whether two points of the space that this group of equations would share need each other, as where one equation runs
// upwards and another down: `e(i) = … e(i-1)`, `x(i) = e(i) … x(i+1)`. Neither could be one step.
bool DataflowBuilder::points_need_each_other(const std::vector<std::size_t>& first, std::size_t group) const {
  const auto& list = equations_.equations;
  if (std::count(first.begin(), first.end(), group) < 2) return false;
  fresh_quota();
  const isl::map same = map_to(context(), source(), list[group].variables, list[group].target).domain().identity();
  isl::map needs = same.subtract(same);
  for (std::size_t r = 0; r < list.size(); ++r)
    for (std::size_t o = 0; o < list.size(); ++o) {
      if (first[r] != group || first[o] != group) continue;
      ir::walk<ExprNode>(list[r].source->value, [&](const Expr& x) {
        const Access* a = as<Access>(x);
        if (a && a->tensor == list[o].tensor) needs = needs.unite(points_read(*a, list[r], list[o]));
      });
    }
  needs = needs.subtract(same);
  return !needs.is_disjoint(needs.reverse());
}

// For every equation the first one of those that it shares a space with: equations without sums over the same variables
// at the same places, which depend on each other, at fixed distances only.
std::vector<std::size_t> DataflowBuilder::find_companions() const {
  const auto& list = equations_.equations;
  const auto alone = [&](std::size_t i) { return list[i].constant || has_sums(list[i]) || is_alias(i); };
  const auto place = [&](std::size_t i) {
    std::map<std::string, Affine> as = meaning_of(list[i]);
    add_spacetime(as);
    return place_of(as);
  };
  std::vector<std::size_t> first(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) first[i] = i;
  std::vector<std::pair<std::size_t, std::size_t>> apart;
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t o = 0; o < i; ++o) {
      fresh_quota();
      // `y(0) = …` and `y(1) = …` have no variables: both would be the value y of one point.
      const auto same_points = [&] {
        return list[i].tensor == list[o].tensor && !list[i].domain.is_disjoint(list[o].domain);
      };
      if (alone(i) || alone(o) || list[i].variables != list[o].variables || place(i) != place(o) || same_points()) {
        apart.emplace_back(o, i);
        continue;
      }
      bool at_all = list[i].tensor == list[o].tensor;
      const bool uniform = depends_uniformly(list[i], list[o], at_all) && depends_uniformly(list[o], list[i], at_all);
      if (!uniform) apart.emplace_back(o, i);
      else if (at_all) {
        const std::size_t from = std::max(first[i], first[o]), to = std::min(first[i], first[o]);
        for (std::size_t& f : first)
          if (f == from) f = to;
      }
    }
  const auto break_up = [&](std::size_t group) {
    for (std::size_t e = 0; e < list.size(); ++e)
      if (first[e] == group) first[e] = e;
  };
  for (const auto& [o, i] : apart) // one that does not fit keeps all of them apart
    if (first[o] == first[i]) break_up(first[i]);
  for (std::size_t i = 0; i < list.size(); ++i)
    if (points_need_each_other(first, i)) break_up(i);
  return first;
}

} // namespace cyclotron::lower
