// SPDX-License-Identifier: MIT
// Operands from memory on a space-time map. Two points need the same element if they lie apart by a vector e of the
// kernel of the access: `x(c+q)` is needed again along e = (1, -1). The map says what that means: at P.e processors
// from here, s.e steps later.
//
//   P.e == 0, s.e >= 1        it stays: loaded once, then      (c, q)_x <- (c+1, q-1)_x
//   s.e >= |P.e|              it may be passed on, as along the index that `w(q)` lacks, or where the schedule says so
//   s.e == 0                  processors need it at the same time: it comes over a wire
#include "lower/dataflow/dataflow_builder.hpp"

#include <isl/set.h>

#include <cstdlib>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::lower {

using namespace recurrence;

Vector DataflowBuilder::unit(int s, std::size_t coordinate, std::int64_t length) const {
  Vector e(space(s).coordinates.size(), 0);
  e[coordinate] = length;
  return e;
}

// Whether the last row of a map says when the points of a space are computed.
bool DataflowBuilder::has_steps_of_map(int s) const {
  return mapping_.spacetime && !mapping_.time.empty() && space(s).as.count(mapping_.time.back()) > 0;
}

DataflowBuilder::Hop DataflowBuilder::hop_along(int s, const Vector& e) const {
  Hop hop;
  for (const Vector& axis : rows_of(space(s).place, space(s).coordinates)) hop.links += std::abs(dot(axis, e));
  for (const std::string& t : mapping_.time) {
    const auto at = space(s).as.find(t);
    if (at == space(s).as.end()) continue;
    const std::int64_t moved = dot(rows_of({at->second}, space(s).coordinates).front(), e);
    if (t == mapping_.time.back()) hop.steps = moved;
    else if (hop.outer == 0) hop.outer = moved;
  }
  return hop;
}

// Coordinates without which a place has one element, at most one for each of the outermost steps: it is loaded once and
// kept. Those are the coordinates of a space that loads it.
std::vector<std::size_t> DataflowBuilder::kept_by_place(int s, const Point& element) const {
  const auto& names = space(s).coordinates;
  Point fixed = space(s).place;
  for (std::size_t outer = 0; outer < mapping_.time.size(); ++outer) {
    std::vector<std::size_t> dropped;
    std::vector<std::string> kept;
    for (std::size_t c = 0; c < names.size(); ++c)
      if (depends_on(element, names[c]) || depends_on(fixed, names[c])) kept.push_back(names[c]);
      else dropped.push_back(c);
    const bool one_point = integer_kernel(rows_of(fixed, kept), kept.size()).empty();
    if (one_point && !dropped.empty()) return dropped;
    const auto next = space(s).as.find(mapping_.time[outer]);
    if (next != space(s).as.end()) fixed.push_back(next->second);
  }
  return {};
}

// The shortest time after which an element is needed again at a distance of `hop` in places, within the outer steps.
std::optional<Vector> DataflowBuilder::smallest_reuse(int s, const Point& element, const Point& hop) const {
  const auto& coordinates = space(s).coordinates;
  std::map<std::string, Affine>
      along; // the coordinates as components of e; sizes and numbers are the same at both ends
  std::vector<std::string> names = {"steps'", "length'"};
  for (const std::string& n : coordinates) names.push_back("size'" + n);
  for (const std::string& n : coordinates) {
    names.push_back("e'" + n);
    along[n] = plain(names.back());
  }
  const auto moved = [&](const Affine& formula) {
    Affine sum;
    for (const std::string& n : coordinates) sum = sum + formula.coefficient(n) * along.at(n);
    return sum;
  };
  std::vector<Condition> conditions;
  const auto must = [&](const Affine& a, Relation relation, const Affine& b) {
    conditions.push_back(condition_of(a, relation, b));
  };
  for (const Affine& index : element) must(moved(index), Relation::equal, Affine{});
  std::int64_t links = 0;
  for (std::size_t a = 0; a < hop.size(); ++a) {
    must(moved(space(s).place[a]), Relation::equal, hop[a]);
    links += std::abs(hop[a].constant);
  }
  for (const std::string& t : mapping_.time)
    if (const auto at = space(s).as.find(t); at != space(s).as.end())
      must(moved(at->second), Relation::equal, t == mapping_.time.back() ? plain("steps'") : Affine{});
  must(plain("steps'"), Relation::greater_equal, Affine{{}, std::max<std::int64_t>(1, links)});
  Affine length;
  for (const std::string& n : coordinates) {
    length = length + plain("size'" + n);
    must(plain("size'" + n), Relation::greater_equal, along.at(n));
    must(plain("size'" + n), Relation::greater_equal, -1 * along.at(n));
  }
  must(plain("length'"), Relation::equal, length);
  const isl::set all = set_where(context(), source(), names, conditions, false);
  if (all.is_empty()) return std::nullopt;
  const auto best = find_witness(isl::manage(isl_set_lexmin(all.copy())), source(), names);
  if (!best) return std::nullopt;
  Vector e;
  for (const std::string& n : coordinates) e.push_back(best->value_of("e'" + n));
  return e;
}

// Where a processor needs the same element again, within the outer steps: the nearest of such points first.
std::vector<Vector> DataflowBuilder::directions_that_stay(int s, const Point& element) const {
  const auto& coordinates = space(s).coordinates;
  Point same = element;
  same.insert(same.end(), space(s).place.begin(), space(s).place.end());
  for (const std::string& t : mapping_.time)
    if (const auto at = space(s).as.find(t); t != mapping_.time.back() && at != space(s).as.end())
      same.push_back(at->second);
  std::vector<Vector> result;
  for (Vector& e : integer_kernel(rows_of(same, coordinates), coordinates.size())) {
    if (hop_along(s, e).steps < 0)
      for (std::int64_t& c : e) c = -c;
    if (hop_along(s, e).in_time()) result.push_back(std::move(e));
  }
  const auto length = [](const Vector& e) {
    return std::accumulate(e.begin(), e.end(), std::int64_t{0},
                           [](std::int64_t sum, std::int64_t c) { return sum + std::abs(c); });
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const Vector& a, const Vector& b) { return length(a) < length(b); });
  return result;
}

// `stream x along s`: along an index that the operand lacks, from processor to processor along an axis of the map, or,
// along the steps, to later points of the same processor.
std::vector<Vector> DataflowBuilder::stream_on_map(int s, const Read& read, const Way& way) {
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    diagnostics_.error(way.span, fmt::format("`{}` cannot be streamed along `{}`: {}", read.tensor, way.along, why))
        .note(read.span, "it is read here")
        .with_hint(hint);
    return std::vector<Vector>{};
  };
  const bool is_row = std::count(mapping_.spacetime->axes.begin(), mapping_.spacetime->axes.end(), way.along) > 0;
  if (!is_row) {
    const auto coordinate = choose_stream(s, read, way);
    if (!coordinate) return {};
    for (const std::int64_t sign : {1, -1})
      if (hop_along(s, unit(s, *coordinate, sign)).in_time()) return {unit(s, *coordinate, sign)};
    return refuse(
        fmt::format("by the map, points next to each other along `{}` are computed in the same step, or too few "
                    "steps apart for the links between them",
                    way.along),
        fmt::format("write `broadcast {} along {}`, or a last row of the matrix with an entry for `{}`", read.tensor,
                    way.along, way.along));
  }
  used_ways_.insert(&way);
  if (way.along == mapping_.time.back()) {
    auto later = directions_that_stay(s, read.element);
    if (!later.empty()) return later;
    return refuse(
        "no processor needs an element of it again in a later step",
        fmt::format("leave the command out, or stream it along an axis: {}", fmt::join(mapping_.space, ", ")));
  }
  std::optional<Vector> best;
  const auto axis = std::find(mapping_.space.begin(), mapping_.space.end(), way.along) - mapping_.space.begin();
  for (const std::int64_t sign : {1, -1}) {
    Point hop(mapping_.space.size());
    hop.at(static_cast<std::size_t>(axis)).constant = sign;
    const auto e = smallest_reuse(s, read.element, hop);
    if (e && (!best || hop_along(s, *e).steps < hop_along(s, *best).steps)) best = e;
  }
  if (best) return {*best};
  return refuse(
      "no two processors next to each other along it need the same element, one a step or more after the other",
      fmt::format("leave the command out, or write `broadcast {} along {}` if they need it in the same step",
                  read.tensor, way.along));
}

// What is fetched ahead of time is what a processor keeps.
Expr DataflowBuilder::prefetch_on_map(int s, const Read& read, const Way& way) {
  const std::vector<std::size_t> dropped = kept_by_place(s, read.element);
  if (!dropped.empty()) return hold(s, read, dropped);
  used_ways_.insert(&way);
  diagnostics_
      .error(way.span, fmt::format("`{}` cannot be fetched ahead of time: by the map, a processor needs more than one "
                                   "element of it",
                                   read.tensor))
      .note(read.span, "it is read here")
      .with_hint("leave the command out, or write `stream` or `broadcast` instead of `prefetch`");
  return {};
}

Expr DataflowBuilder::read_on_map(int s, const Read& read, const Way* way) {
  std::vector<Vector> along;
  if (way && way->travel == Travel::stream) along = stream_on_map(s, read, *way);
  if (diagnostics_.failed()) return {};
  if (along.empty())
    if (const auto dropped = kept_by_place(s, read.element); !dropped.empty()) return hold(s, read, dropped);
  if (along.empty()) along = directions_that_stay(s, read.element);
  bool at_once = false;
  if (along.empty())
    for (const std::size_t c : missing_axes(s, read.element))
      for (const std::int64_t sign : {1, -1}) {
        const Hop hop = hop_along(s, unit(s, c, sign));
        if (hop.in_time()) along.push_back(unit(s, c, sign));
        at_once |= hop.at_once();
      }
  if (!along.empty()) return propagate(s, read, along);
  return inject(s, read, at_once ? dataflow::Supply::broadcast : dataflow::Supply::direct);
}

} // namespace cyclotron::lower
