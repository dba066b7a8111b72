// SPDX-License-Identifier: MIT
// How operands from memory reach the points that need them. A point reads a copy of its own, `(i, j, k)_A`, which comes
//
//   from memory                             Inject       (i, 0, k)_A <- A(i,k)
//   from the neighbour along an index that
//   the operand does not have               Propagate    (i, j, k)_A <- (i, j-1, k)_A
//   from a space that held or fetched it    hold, prefetch
//
// ChooseStream picks the index: the schedule's, or else every axis that the operand lacks.
#include "lower/dataflow/dataflow_builder.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

bool names_space_value(const Access& a) { return a.tensor.find('.') != std::string::npos; }

} // namespace

Expr DataflowBuilder::tensor_element(const std::string& tensor, const Point& element) const {
  Access access{tensor, std::nullopt, {}};
  for (const Affine& a : element) access.indices.push_back(expression_of(a, source()));
  return Expr(std::move(access));
}

bool DataflowBuilder::depends_on(const Point& element, const std::string& name) const {
  return std::any_of(element.begin(), element.end(), [&](const Affine& a) { return a.coefficient(name) != 0; });
}

const Way* DataflowBuilder::way_of(const std::string& tensor) const {
  for (const Way& w : mapping_.ways)
    if (w.tensor == tensor) return &w;
  return nullptr;
}

// A command that changes nothing is a mistake.
void DataflowBuilder::refuse_unused_ways() {
  for (const Way& w : mapping_.ways) {
    if (used_ways_.count(&w)) continue;
    const bool second = way_of(w.tensor) != &w;
    diagnostics_
        .error(w.span, second ? fmt::format("`{}` has another way to travel already", w.tensor)
                              : fmt::format("no equation that reads `{}` has the index `{}`", w.tensor, w.along))
        .with_hint(second ? "keep one of the two commands"
                          : "leave the command out, or name an index that such an equation has");
  }
}

// The axis that moves by one with a coordinate, and in which direction.
std::optional<std::size_t> DataflowBuilder::axis_of(int s, std::size_t coordinate, int& direction) const {
  const std::string& name = space(s).coordinates[coordinate];
  std::optional<std::size_t> found;
  for (std::size_t a = 0; a < space(s).place.size(); ++a) {
    const std::int64_t c = space(s).place[a].coefficient(name);
    if (c == 0) continue;
    if (found || (c != 1 && c != -1)) return std::nullopt;
    found = a;
    direction = static_cast<int>(c);
  }
  return found;
}

// Steps that an operand does not depend on, as long as no step inside of them matters: it can be kept that long.
std::vector<std::size_t> DataflowBuilder::missing_steps(int s, const Point& element) const {
  std::vector<std::size_t> missing;
  const auto& coordinates = space(s).coordinates;
  for (auto t = mapping_.time.rbegin(); t != mapping_.time.rend(); ++t) {
    const auto at = std::find(coordinates.begin(), coordinates.end(), *t);
    if (at == coordinates.end()) { // a row of a matrix is a step in several indices
      const auto row = space(s).as.find(*t);
      const bool moves =
          row != space(s).as.end() && std::any_of(coordinates.begin(), coordinates.end(), [&](const std::string& n) {
            return row->second.coefficient(n) != 0 && depends_on(element, n);
          });
      if (moves) break;
      continue;
    }
    if (depends_on(element, *t) || depends_on(space(s).place, *t)) break;
    missing.push_back(static_cast<std::size_t>(at - coordinates.begin()));
  }
  return missing;
}

std::vector<std::size_t> DataflowBuilder::missing_axes(int s, const Point& element) const {
  std::vector<std::size_t> missing;
  for (std::size_t c = space(s).coordinates.size(); c-- > 0;) {
    int direction = 1;
    if (!depends_on(element, space(s).coordinates[c]) && axis_of(s, c, direction)) missing.push_back(c);
  }
  return missing;
}

// Inject: straight from memory.
Expr DataflowBuilder::inject(int s, const Read& read, dataflow::Supply supply) {
  const std::string value = copy_value(s, read.tensor, read.element.size());
  add_rule(s, value, read.domain, tensor_element(read.tensor, read.element), read.span, supply);
  return dataflow::refer_to(out_, s, value, dataflow::own_point(space(s)));
}

// Propagate: from the neighbour in the first of these directions that has one, else from memory.
Expr DataflowBuilder::propagate(int s, const Read& read, const std::vector<Vector>& along) {
  const std::string value = copy_value(s, read.tensor, read.element.size());
  isl::set rest = read.domain;
  bool crosses = false;
  std::vector<std::pair<isl::set, Point>> steps;
  for (const Vector& e : along) {
    Point before = dataflow::own_point(space(s));
    isl::set inside = read.domain;
    for (std::size_t c = 0; c < e.size(); ++c) {
      before[c].constant -= e[c];
      if (e[c] != 0) inside = shifted(inside, c, e[c]);
    }
    for (const Vector& row : rows_of(space(s).place, space(s).coordinates)) crosses |= dot(row, e) != 0;
    inside = rest.intersect(inside);
    steps.emplace_back(inside, before);
    rest = rest.subtract(inside);
  }
  add_rule(s, value, rest, tensor_element(read.tensor, read.element), read.span,
           crosses ? dataflow::Supply::boundary : dataflow::Supply::direct);
  for (const auto& [domain, before] : steps)
    add_rule(s, value, domain, dataflow::refer_to(out_, s, value, before), read.span);
  return dataflow::refer_to(out_, s, value, dataflow::own_point(space(s)));
}

// ChooseStream: the coordinate that the schedule names, if the space has it and the operand does not.
std::optional<std::size_t> DataflowBuilder::choose_stream(int s, const Read& read, const Way& way) {
  const auto& coordinates = space(s).coordinates;
  const auto meaning = space(s).as.find(way.along);
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    const bool is_it =
        coordinates[c] == way.along || (meaning != space(s).as.end() && meaning->second == plain(coordinates[c]));
    if (!is_it) continue;
    if (!depends_on(read.element, coordinates[c])) {
      used_ways_.insert(&way);
      return c;
    }
    std::vector<std::string> lacks;
    for (const std::string& n : coordinates)
      if (!depends_on(read.element, n)) lacks.push_back("`" + n + "`");
    diagnostics_
        .error(way.span,
               fmt::format("`{}` cannot be streamed along `{}`: it has that index, so that every step along it "
                           "needs another element",
                           read.tensor, way.along))
        .note(read.span, "it is read here")
        .with_hint(
            mapping_.spacetime
                ? fmt::format("an input that lies askew in the map is streamed along an axis of the map: {}",
                              fmt::join(mapping_.space, ", "))
            : lacks.empty()
                ? fmt::format("leave the command out: every processor reads its own elements of `{}`", read.tensor)
                : fmt::format("stream it along an index that it lacks: {}", fmt::join(lacks, ", ")));
    return std::nullopt;
  }
  return std::nullopt;
}

// Keeps an operand for the steps that it does not depend on: one copy in a space without them.
Expr DataflowBuilder::hold(int s, const Read& read, const std::vector<std::size_t>& missing) {
  std::vector<std::string> kept;
  std::map<std::string, Affine> as = space(s).as;
  for (std::size_t c = 0; c < space(s).coordinates.size(); ++c) {
    const std::string& name = space(s).coordinates[c];
    if (std::find(missing.begin(), missing.end(), c) == missing.end()) kept.push_back(name);
    else std::erase_if(as, [&](const auto& entry) { return entry.second.coefficient(name) != 0; });
  }
  const isl::set domain = isl::manage(isl_set_coalesce(without(read.domain, missing).release()));
  const int held = add_space("load_" + read.tensor, kept, domain, as);
  return read_input(held, {read.tensor, read.element, domain, read.span});
}

// Fetches an operand ahead of time: it is passed along an axis from the edge, the farthest first, until each processor
// has its own.
Expr DataflowBuilder::prefetch(int s, const Read& read, const Way& way) {
  const auto axis = static_cast<std::size_t>(std::find(mapping_.space.begin(), mapping_.space.end(), way.along) -
                                             mapping_.space.begin());
  if (axis == mapping_.space.size()) {
    diagnostics_
        .error(way.span, fmt::format("`prefetch {} along {}`: `{}` is not an axis of the array", read.tensor, way.along,
                                     way.along))
        .with_hint(fmt::format("the axes are {}", fmt::join(mapping_.space, ", ")));
    return {};
  }
  used_ways_.insert(&way);
  // What the elements at a place depend on: its coordinates, and the steps that say which of them.
  std::vector<std::size_t> dropped;
  std::vector<std::string> kept;
  Point order;
  std::map<std::string, Affine> as;
  const Affine place = space(s).place[axis];
  for (std::size_t c = 0; c < space(s).coordinates.size(); ++c) {
    const std::string& name = space(s).coordinates[c];
    const bool is_step = std::find(mapping_.time.begin(), mapping_.time.end(), name) != mapping_.time.end();
    if (is_step && !depends_on(read.element, name) && !depends_on(space(s).place, name)) {
      dropped.push_back(c);
      continue;
    }
    kept.push_back(name);
    const auto passes_end = mapping_.time.begin() + static_cast<std::ptrdiff_t>(passes_of(mapping_));
    if (std::find(mapping_.time.begin(), passes_end, name) != passes_end) as[name] = plain(name);
    else if (is_step) order.push_back(plain(name));
  }
  isl::set domain = without(read.domain, dropped);
  const std::string position = way.along + "'at"; // no name of the language has a prime
  // From the edge to the place: all positions between.
  const isl::set places = [&] {
    const isl::map to = map_to(context(), source(), kept, {place});
    return isl::manage(isl_set_apply(domain.copy(), to.copy()));
  }();
  isl_set* turned = isl_set_neg(places.copy());
  auto edge = last_of(isl::manage(turned), 0, {position}, source());
  if (!edge) {
    diagnostics_.unsupported(
        way.span, fmt::format("`{}` has no first processor along `{}` for all sizes", read.tensor, way.along));
    return {};
  }
  const Affine first = -1 * *edge;
  std::vector<std::string> names = kept;
  names.push_back("at_" + way.along);
  const Affine at = plain(names.back());
  isl_set* wide = isl_set_add_dims(domain.copy(), isl_dim_set, 1);
  domain = isl::manage(wide).intersect(
      set_where(context(), source(), names,
                {condition_of(first, Relation::less_equal, at), condition_of(at, Relation::less_equal, place)}, false));
  for (const std::string& other : mapping_.space)
    if (space(s).as.count(other)) as[other] = space(s).as.at(other);
  as[way.along] = at;
  const int fetched = add_space("fetch_" + read.tensor, names, domain, as);
  order.insert(order.begin(), -1 * place);
  extra_time_[fetched] = order;
  const std::string value = copy_value(fetched, read.tensor, read.element.size());
  const isl::set edge_points =
      domain.intersect(set_where(context(), source(), names, {condition_of(at, Relation::equal, first)}, false));
  add_rule(fetched, value, edge_points, tensor_element(read.tensor, read.element), read.span,
           dataflow::Supply::boundary);
  Point before = dataflow::own_point(space(fetched));
  before.back().constant -= 1;
  add_rule(fetched, value, domain.subtract(edge_points), dataflow::refer_to(out_, fetched, value, before), read.span);
  Point own;
  for (const std::string& k : kept) own.push_back(plain(k));
  own.push_back(place);
  return dataflow::refer_to(out_, fetched, value, own);
}

Expr DataflowBuilder::read_input(int s, const Read& read) {
  const Way* way = way_of(read.tensor);
  if (way && way->travel == Travel::broadcast) {
    used_ways_.insert(way);
    return inject(s, read, dataflow::Supply::broadcast);
  }
  if (way && way->travel == Travel::prefetch && has_steps_of_map(s)) return prefetch_on_map(s, read, *way);
  if (way && way->travel == Travel::prefetch && space(s).as.count(way->along)) return prefetch(s, read, *way);
  if (!way && !mapping_.inputs_travel) return inject(s, read, dataflow::Supply::direct);
  if (has_steps_of_map(s)) return read_on_map(s, read, way);
  const bool streams = way && way->travel == Travel::stream;
  std::optional<std::size_t> along;
  if (streams) {
    along = choose_stream(s, read, *way);
    if (diagnostics_.failed()) return {};
  }
  if (const auto missing = missing_steps(s, read.element); !missing.empty()) return hold(s, read, missing);
  if (along) return propagate(s, read, {unit(s, *along)});
  std::vector<Vector> directions;
  for (const std::size_t c : missing_axes(s, read.element)) directions.push_back(unit(s, c));
  return directions.empty() ? inject(s, read, dataflow::Supply::direct) : propagate(s, read, directions);
}

// `stream b along j` where only a sum inside has j: the operand enters with the first term, is kept or passed on with
// the accumulator, and is there when the sum is done. Where the sum has no terms it comes from memory.
std::vector<Case> DataflowBuilder::stream_through_sum(int s, const Read& read, const Way& way) {
  for (const auto& [expr, ends] : sums_done_)
    for (const Located& end : ends) {
      if (end.space < 0 || end.point.empty()) continue;
      const dataflow::Space inner = space(end.space);
      std::vector<std::string> expected = space(s).coordinates;
      expected.push_back(way.along);
      if (inner.coordinates != expected) continue;
      used_ways_.insert(&way);
      const isl::set through = isl::manage(isl_set_apply(
          read.domain.copy(),
          isl_map_reverse(map_to(context(), source(), inner.coordinates, dataflow::own_point(space(s))).release())));
      const std::size_t last = inner.coordinates.size() - 1;
      const Expr copy = propagate(end.space, {read.tensor, read.element, inner.domain.intersect(through), read.span},
                                  {unit(end.space, last)});
      const std::string value = as<Access>(copy)->tensor.substr(inner.name.size() + 1);
      std::vector<Case> pieces;
      isl::set rest = read.domain;
      for (const Located& l : ends) {
        if (l.space != end.space) continue;
        pieces.push_back({read.domain.intersect(l.domain), dataflow::refer_to(out_, l.space, value, l.point)});
        rest = rest.subtract(l.domain);
      }
      if (!rest.is_empty())
        pieces.push_back({rest, inject(s, {read.tensor, read.element, rest, read.span}, dataflow::Supply::direct)});
      return pieces;
    }
  return {};
}

// Replaces what the rules of a space read by values of points.
void DataflowBuilder::resolve(int s) {
  struct Planned {
    Read read;
    Expr input;               // from memory
    std::vector<Case> pieces; // computed
  };
  std::vector<Planned> plans;
  const auto find = [&](const Access& a, const ArrayEquation& e) -> Planned* {
    const Point element = equations_.element_of(a, e);
    for (Planned& p : plans)
      if (p.read.tensor == a.tensor && p.read.element == element) return &p;
    return nullptr;
  };
  for (const Body& b : bodies_) {
    if (b.space != s) continue;
    ir::walk<ExprNode>(b.expr, [&](const Expr& x) {
      const Access* a = as<Access>(x);
      if (!a || names_space_value(*a)) return;
      if (Planned* p = find(*a, *b.equation)) p->read.domain = p->read.domain.unite(b.domain);
      else plans.push_back({{a->tensor, equations_.element_of(*a, *b.equation), b.domain, x->span}, {}, {}});
    });
  }
  for (Planned& p : plans) {
    fresh_quota();
    if (equations_.is_computed(p.read.tensor)) p.pieces = read_computed(s, p.read);
    else {
      const Way* way = way_of(p.read.tensor);
      if (way && way->travel == Travel::stream && !space(s).as.count(way->along))
        p.pieces = stream_through_sum(s, p.read, *way);
      else if (way && way->travel == Travel::stream &&
               !std::count(space(s).coordinates.begin(), space(s).coordinates.end(), way->along))
        p.pieces = stream_through_sum(s, p.read, *way);
      if (p.pieces.empty()) p.input = read_input(s, p.read);
    }
    if (diagnostics_.failed()) return;
  }
  for (const Body& b : bodies_) {
    if (b.space != s) continue;
    fresh_quota();
    std::vector<Case> work = {{b.domain, b.expr}};
    while (!work.empty()) {
      Case now = std::move(work.back());
      work.pop_back();
      const Planned* split = nullptr; // the first read that has several sources
      Expr node;
      const std::function<Expr(const Expr&)> put = [&](const Expr& x) -> Expr {
        if (const Access* a = as<Access>(x)) {
          if (names_space_value(*a)) return x;
          const Planned* p = find(*a, *b.equation);
          if (p->input) return p->input;
          if (!split) {
            split = p;
            node = x;
          }
          return x;
        }
        if (const Name* n = as<Name>(x); n && b.equation->split.count(n->id))
          return expression_of(b.equation->split.at(n->id), source());
        return ir::map_children<ExprNode>(x, put);
      };
      const Expr expr = put(now.expr);
      if (!split) {
        add_rule(s, b.value, now.domain, expr, b.equation->source->span);
        continue;
      }
      for (const Case& piece : split->pieces) {
        const isl::set where = now.domain.intersect(piece.domain);
        if (where.is_empty()) continue;
        const std::function<Expr(const Expr&)> swap = [&](const Expr& x) -> Expr {
          const Access* a = as<Access>(x);
          if (a && !names_space_value(*a) && find(*a, *b.equation) == split) return piece.expr;
          return a ? x : ir::map_children<ExprNode>(x, swap);
        };
        work.push_back({where, swap(expr)});
      }
    }
  }
}

} // namespace cyclotron::lower
