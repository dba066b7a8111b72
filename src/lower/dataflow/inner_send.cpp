// SPDX-License-Identifier: MIT
// InnerSend: how computed values reach the points that need them. A point reads the producer itself where that is at
// the same place or next to it. Elsewhere it reads a copy of its own, which is passed on away from the producer:
//
//   (i, j)_x <- (i-1, j)_x     and where i-1 == j     (i, j)_x <- (j)_x^solve
//
// Where a chain begins, the value comes from the producer, or from another chain that carries the same element past.
#include "lower/dataflow/dataflow_builder.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

std::int64_t distance(const std::vector<std::int64_t>& offset) {
  std::int64_t sum = 0;
  for (const std::int64_t o : offset) sum += std::abs(o);
  return sum;
}

std::optional<std::int64_t> finite(isl_val* value) {
  std::optional<std::int64_t> result;
  if (value && isl_val_is_int(value) == isl_bool_true) result = isl_val_get_num_si(value);
  isl_val_free(value);
  return result;
}

} // namespace

// Where an element of a computed tensor comes from, in the names of the reader. What no equation defines is 0.
std::vector<Located> DataflowBuilder::sources_of(const std::string& tensor, const Point& element,
                                                 const std::vector<std::string>& names, const isl::set& domain) {
  std::vector<Located> result;
  isl::set rest = domain;
  const isl::map read = map_to(context(), source(), names, element).intersect_domain(domain);
  for (std::size_t i = 0; i < equations_.equations.size(); ++i) {
    const ArrayEquation& e = equations_.equations[i];
    if (e.tensor != tensor) continue;
    const isl::map to = read.apply_range(e.defines.reverse());
    if (to.is_empty()) continue;
    const auto pieces = pieces_of(to, names, source());
    if (!pieces) {
      diagnostics_.unsupported(e.source->span,
                               fmt::format("which element of `{}` is read is not a formula of the indices", tensor));
      return {};
    }
    for (const Piece& p : *pieces) {
      std::map<std::string, Affine> by;
      for (std::size_t v = 0; v < e.variables.size(); ++v) by[e.variables[v]] = p.point[v];
      const isl::map into = map_to(context(), source(), names, p.point);
      for (const Located& l : located(i)) {
        if (l.space >= 0 && l.point.empty() && !space(l.space).coordinates.empty()) {
          diagnostics_.unsupported(
              e.source->span, fmt::format("where the last term of `{}` is computed is not a formula of the indices, "
                                          "so that no other equation can read it in the array",
                                          tensor));
          return {};
        }
        const isl::set where =
            p.domain.intersect(isl::manage(isl_set_apply(l.domain.copy(), isl_map_reverse(into.copy()))));
        if (where.is_empty()) continue;
        Located here{where, l.space, l.value, {}, l.formula};
        for (const Affine& a : l.point) here.point.push_back(substitute(a, by));
        if (l.formula) {
          std::map<std::string, Affine> all = by;
          for (const auto& [name, formula] : e.split) all[name] = substitute(formula, by);
          const std::function<Expr(const Expr&)> put = [&](const Expr& x) -> Expr {
            if (const Name* n = as<Name>(x); n && all.count(n->id)) return expression_of(all.at(n->id), source());
            return ir::map_children<ExprNode>(x, put);
          };
          here.formula = put(l.formula);
        }
        rest = rest.subtract(where);
        result.push_back(std::move(here));
      }
    }
  }
  if (rest.is_empty()) return result;
  const TensorDecl& decl = *source().tensor(tensor);
  if (element.size() < decl.dims.size() + (source().is_stepped(tensor) ? 1 : 0)) {
    diagnostics_.unsupported(decl.span, fmt::format("a tile of `{}` is read that no equation defines", tensor))
        .with_hint("write an equation for it, or constraints such that it is not read");
    return {};
  }
  const bool boolean = decl.type == tensor::ValueType::boolean;
  result.push_back({rest, -1, "", {}, boolean ? Expr(Boolean{false}) : Expr(Number{0, 0})});
  return result;
}

// From the producer's place to the reader's, where that is the same for all points of a domain.
std::optional<std::vector<std::int64_t>> DataflowBuilder::offset_of(int s, const isl::set& domain,
                                                                    const Located& from) const {
  std::map<std::string, Affine> by;
  const dataflow::Space& producer = space(from.space);
  for (std::size_t c = 0; c < producer.coordinates.size(); ++c) by[producer.coordinates[c]] = from.point[c];
  std::vector<std::int64_t> result;
  for (std::size_t a = 0; a < out_.axes.size(); ++a) {
    const Affine difference = space(s).place[a] - substitute(producer.place[a], by);
    if (difference.is_constant()) {
      result.push_back(difference.constant);
      continue;
    }
    const isl::map to = map_to(context(), source(), space(s).coordinates, {difference});
    const isl::set values = isl::manage(isl_set_apply(domain.copy(), to.copy()));
    const auto least = finite(isl_set_dim_min_val(values.copy(), 0)),
               most = finite(isl_set_dim_max_val(values.copy(), 0));
    if (!least || !most || *least != *most) return std::nullopt;
    result.push_back(*least);
  }
  return result;
}

// The points whose place along an axis is beyond the producer's, on one side of it.
isl::set DataflowBuilder::beyond(int s, std::size_t axis, int side, const Located& from) const {
  std::map<std::string, Affine> by;
  const dataflow::Space& producer = space(from.space);
  for (std::size_t c = 0; c < producer.coordinates.size(); ++c) by[producer.coordinates[c]] = from.point[c];
  const Affine there = substitute(producer.place[axis], by), here = space(s).place[axis];
  return from.domain.intersect(set_where(context(), source(), space(s).coordinates,
                                         {condition_of(here, side > 0 ? Relation::greater : Relation::less, there)},
                                         false));
}

std::vector<Case> DataflowBuilder::read_computed(int s, const Read& read) {
  if (const Way* way = way_of(read.tensor)) {
    if (way->travel != Travel::stream) {
      diagnostics_
          .unsupported(way->span, fmt::format("`{}` is computed in the array, so that it cannot come from memory ahead "
                                              "of time or over a wire to all",
                                              read.tensor))
          .with_hint(fmt::format("leave the command out: `{}` is passed from neighbour to neighbour", read.tensor));
      return {};
    }
    choose_stream(s, read, *way);
    if (diagnostics_.failed()) return {};
  }
  const std::vector<Located> sources = sources_of(read.tensor, read.element, space(s).coordinates, read.domain);
  bool near = true, local = true;
  for (const Located& l : sources) {
    if (l.space < 0) continue;
    const auto offset = offset_of(s, l.domain, l);
    near &= offset && distance(*offset) <= 1;
    local &= offset && distance(*offset) == 0;
  }
  const auto kept = missing_steps(s, read.element);
  if (local || (near && kept.empty())) {
    std::vector<Case> pieces;
    for (const Located& l : sources)
      pieces.push_back({l.domain, l.space < 0 ? l.formula : dataflow::refer_to(out_, l.space, l.value, l.point)});
    return pieces;
  }
  if (!kept.empty()) { // one copy for all the steps
    std::vector<std::string> names;
    std::map<std::string, Affine> as = space(s).as;
    for (std::size_t c = 0; c < space(s).coordinates.size(); ++c) {
      const std::string& name = space(s).coordinates[c];
      if (std::find(kept.begin(), kept.end(), c) == kept.end()) names.push_back(name);
      else std::erase_if(as, [&](const auto& entry) { return entry.second.coefficient(name) != 0; });
    }
    const isl::set domain = without(read.domain, kept);
    const int held = add_space("pass_" + read.tensor, names, domain, as);
    const Read there{read.tensor, read.element, domain, read.span};
    return {{read.domain, transport_computed(held, there, sources_of(read.tensor, read.element, names, domain))}};
  }
  return {{read.domain, transport_computed(s, read, sources)}};
}

// A copy at every point, each from the one before it on the way from the producer.
Expr DataflowBuilder::transport_computed(int s, const Read& read, const std::vector<Located>& sources) {
  const std::string value = copy_value(s, read.tensor, read.element.size());
  std::vector<Located> far;
  for (const Located& l : sources) {
    const auto offset = l.space < 0 ? std::vector<std::int64_t>{} : offset_of(s, l.domain, l);
    if (l.space < 0) add_rule(s, value, l.domain, l.formula, read.span);
    else if (offset && distance(*offset) <= 1)
      add_rule(s, value, l.domain, dataflow::refer_to(out_, l.space, l.value, l.point), read.span);
    else {
      // Only a part of it may be near.
      isl::set left = l.domain;
      for (std::size_t a = 0; a <= 2 * out_.axes.size(); ++a) {
        std::vector<Condition> there;
        std::map<std::string, Affine> by;
        for (std::size_t c = 0; c < space(l.space).coordinates.size(); ++c)
          by[space(l.space).coordinates[c]] = l.point[c];
        for (std::size_t x = 0; x < out_.axes.size(); ++x) {
          const std::int64_t step = a == 0 || (a - 1) / 2 != x ? 0 : a % 2 == 1 ? 1 : -1;
          there.push_back(condition_of(space(s).place[x], Relation::equal,
                                       substitute(space(l.space).place[x], by) + Affine{{}, step}));
        }
        const isl::set part = left.intersect(set_where(context(), source(), space(s).coordinates, there, false));
        if (part.is_empty()) continue;
        add_rule(s, value, part, dataflow::refer_to(out_, l.space, l.value, l.point), read.span);
        left = left.subtract(part);
      }
      if (left.is_empty()) continue;
      far.push_back(l);
      far.back().domain = left;
    }
  }
  isl::set open = read.domain.subtract(read.domain); // what still needs a source
  for (const Located& l : far) {
    isl::set left = l.domain;
    for (const std::size_t c : missing_axes(s, read.element)) {
      int direction = 1;
      const std::size_t axis = *axis_of(s, c, direction);
      for (const int side : {1, -1}) {
        Point before = dataflow::own_point(space(s));
        const int step = side * direction;
        before[c].constant -= step;
        const isl::set passed = left.intersect(beyond(s, axis, side, l)).intersect(shifted(read.domain, c, step));
        add_rule(s, value, passed, dataflow::refer_to(out_, s, value, before), read.span);
        left = left.subtract(passed);
      }
    }
    open = isl::manage(isl_set_coalesce(open.unite(left).release()));
  }
  const Copy copy{s, value, read.tensor, read.domain, read.element};
  if (!open.is_empty()) pending_.push_back({copy, open, far, read.span});
  copies_.push_back(copy);
  return dataflow::refer_to(out_, s, value, dataflow::own_point(space(s)));
}

// Other chains carry the same elements past this place, or next to it.
void DataflowBuilder::cover_by_copies(Pending& pending) {
  const int s = pending.copy.space;
  const auto& names = space(s).coordinates;
  const isl::map mine = map_to(context(), source(), names, pending.copy.element);
  for (std::size_t a = 0; a <= 2 * out_.axes.size(); ++a)
    for (const Copy& other : copies_) {
      if (other.tensor != pending.copy.tensor || (other.space == s && other.value == pending.copy.value)) continue;
      const isl::set reached = [&] { // not what is itself still open
        for (const Pending& p : pending_)
          if (p.copy.space == other.space && p.copy.value == other.value)
            return isl::set(other.domain.subtract(p.rest));
        return other.domain;
      }();
      const auto& theirs = space(other.space).coordinates;
      Point here = space(s).place;
      if (a > 0) here[(a - 1) / 2].constant -= a % 2 == 1 ? 1 : -1;
      const isl::map elements = map_to(context(), source(), theirs, other.element).intersect_domain(reached);
      isl::map to = mine.intersect_domain(pending.rest).apply_range(elements.reverse());
      const isl::map places = map_to(context(), source(), names, here)
                                  .apply_range(map_to(context(), source(), theirs, space(other.space).place).reverse());
      to = isl::manage(isl_map_lexmin(to.intersect(places).release()));
      if (to.is_empty()) continue;
      const auto pieces = pieces_of(to, names, source());
      if (!pieces) continue;
      for (const Piece& p : *pieces) {
        add_rule(s, pending.copy.value, p.domain, dataflow::refer_to(out_, other.space, other.value, p.point),
                 pending.span);
        pending.rest = pending.rest.subtract(p.domain);
      }
      if (pending.rest.is_empty()) return;
    }
}

void DataflowBuilder::cover_by_far_links(Pending& pending) {
  const int s = pending.copy.space;
  for (const Located& l : pending.producers) {
    const isl::set part = l.domain.intersect(pending.rest);
    if (part.is_empty() || !offset_of(s, part, l)) continue;
    add_rule(s, pending.copy.value, part, dataflow::refer_to(out_, l.space, l.value, l.point), pending.span);
    pending.rest = pending.rest.subtract(part);
  }
  if (pending.rest.is_empty()) return;
  const auto witness = find_witness(pending.rest, source(), space(s).coordinates);
  diagnostics_
      .unsupported(pending.span,
                   fmt::format("no links of fixed length bring `{}` from where it is computed to where it is needed",
                               pending.copy.tensor))
      .label(witness ? fmt::format("for instance where {}", witness->describe()) : "")
      .with_hint("choose other axes with `space`, or make one of these an index of the operand");
}

void DataflowBuilder::finish_pending() {
  for (bool progress = true; progress;) {
    progress = false;
    for (Pending& p : pending_) {
      if (p.rest.is_empty()) continue;
      fresh_quota();
      cover_by_copies(p);
      progress |= p.rest.is_empty();
    }
  }
  for (Pending& p : pending_) {
    if (p.rest.is_empty()) continue;
    fresh_quota();
    cover_by_far_links(p);
  }
}

} // namespace cyclotron::lower
