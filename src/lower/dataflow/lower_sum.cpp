// SPDX-License-Identifier: MIT
// LowerSum: a reduction becomes an accumulator that runs through a space of its own,
//
//   C(i,j) = sum[k](A(i,k)*B(k,j))   -->   (i, j, k)_C <- (i, j, k-1)_C + A(i,k)*B(k,j)
//
// and OuterSum: what stands around it reads the accumulator at its last point.
#include "lower/dataflow/dataflow_builder.hpp"

#include "lower/contains.hpp"
#include "recurrence/steady_parts.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

Expr combined(Reducer reducer, const Expr& a, const Expr& b) {
  switch (reducer) {
  case Reducer::sum: return Expr(Binary{BinaryOp::add, a, b});
  case Reducer::prod: return Expr(Binary{BinaryOp::mul, a, b});
  case Reducer::min: return Expr(Call{Function::min, {a, b}});
  case Reducer::max: return Expr(Call{Function::max, {a, b}});
  case Reducer::any: return Expr(Binary{BinaryOp::logical_or, a, b});
  case Reducer::all: return Expr(Binary{BinaryOp::logical_and, a, b});
  }
  bug("unknown reducer");
}

Expr whole(std::int64_t value) { return Expr(Number{static_cast<double>(value), value}); }

// The largest value of a type, and the smallest: the identities of `min` and `max`.
Expr largest(tensor::ValueType type) {
  if (type == tensor::ValueType::i32) return whole(std::numeric_limits<std::int32_t>::max());
  if (type == tensor::ValueType::i64) return whole(std::numeric_limits<std::int64_t>::max());
  return Expr(Number{std::numeric_limits<double>::infinity(), std::nullopt});
}
Expr smallest(tensor::ValueType type) {
  const Expr negative(Unary{UnaryOp::negate, largest(type)});
  const bool is_whole = type == tensor::ValueType::i32 || type == tensor::ValueType::i64;
  return is_whole ? Expr(Binary{BinaryOp::sub, negative, whole(1)}) : negative;
}

Expr identity_of(Reducer reducer, tensor::ValueType type) {
  switch (reducer) {
  case Reducer::sum: return whole(0);
  case Reducer::prod: return whole(1);
  case Reducer::min: return largest(type);
  case Reducer::max: return smallest(type);
  case Reducer::any: return Expr(Boolean{false});
  case Reducer::all: return Expr(Boolean{true});
  }
  bug("unknown reducer");
}

// { x -> y }: y comes before x in the order of `order` (with its signs), and is equal in `fixed`; both are tuples of
// `names`.
isl::map earlier(const IslContext& context, const Program& program, const std::vector<std::string>& names,
                 const std::vector<std::string>& order, const std::map<std::string, int>& signs,
                 const std::vector<std::string>& fixed) {
  std::vector<std::string> both = names;
  for (const std::string& n : names) both.push_back(n + "'");
  const auto mine = [](const std::string& n) { return Affine{{{n, 1}}, 0}; };
  std::vector<Condition> same;
  for (const std::string& n : fixed) same.push_back(condition_of(mine(n), Relation::equal, mine(n + "'")));
  const isl::set everything = set_where(context, program, both, {}, false);
  isl::set all = everything.subtract(everything);
  for (const std::string& n : order) {
    std::vector<Condition> conditions = same;
    const bool falls = signs.count(n) && signs.at(n) < 0;
    conditions.push_back(condition_of(mine(n + "'"), falls ? Relation::greater : Relation::less, mine(n)));
    all = all.unite(set_where(context, program, both, conditions, false));
    same.push_back(condition_of(mine(n), Relation::equal, mine(n + "'")));
  }
  isl_map* map = isl_map_from_range(all.copy());
  return isl::manage(isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(names.size())));
}

// Of all y that x goes to, the one that is last in `order`; the other names must follow from these.
isl::map last_in(const isl::map& map, const IslContext& context, const Program& program,
                 const std::vector<std::string>& names, const std::vector<std::string>& order,
                 const std::map<std::string, int>& signs) {
  // Compare as tuples (signed order, all names).
  Point key;
  for (const std::string& n : order) key.push_back(Affine{{{n, signs.count(n) && signs.at(n) < 0 ? -1 : 1}}, 0});
  for (const std::string& n : names) key.push_back(Affine{{{n, 1}}, 0});
  const isl::map to_key = map_to(context, program, names, key);
  isl_map* keyed = isl_map_lexmax(isl_map_apply_range(map.copy(), to_key.copy()));
  return isl::manage(isl_map_apply_range(keyed, isl_map_reverse(to_key.copy())));
}

// Of the equation, or of the reduction that this one is in.
const isl::set& domain_around(const ArrayEquation& e, const ArrayEquation::Sum& sum) {
  for (const ArrayEquation::Sum& s : e.sums) {
    std::vector<std::string> names = s.outer;
    names.insert(names.end(), s.own.begin(), s.own.end());
    if (names == sum.outer) return s.domain;
  }
  return e.domain;
}

} // namespace

// Sums of sums are one sum where a map says when each of their terms is computed: `sum[q](sum[p](e))`.
ArrayEquation::Sum DataflowBuilder::with_sums_inside(const ArrayEquation& e, const ArrayEquation::Sum& sum,
                                                     Expr& body) const {
  ArrayEquation::Sum all = sum;
  const Reducer reducer = std::get<Reduce>(sum.expr->kind).reducer;
  body = std::get<Reduce>(sum.expr->kind).body;
  if (!mapping_.spacetime || !sum.padded.empty()) return all;
  for (const Reduce* inside = as<Reduce>(body); inside && inside->reducer == reducer; inside = as<Reduce>(body)) {
    const ArrayEquation::Sum& inner = e.sum(body);
    if (!inner.padded.empty()) break;
    const auto more = static_cast<unsigned>(inner.own.size());
    all.domain = isl::manage(isl_set_add_dims(all.domain.copy(), isl_dim_set, more)).intersect(inner.domain);
    all.own.insert(all.own.end(), inner.own.begin(), inner.own.end());
    body = inside->body;
  }
  return all;
}

// The variables of a sum as levels of a chain, outermost first: all steps together, then each axis of the array. On a
// map the step moves most with the outermost ones.
std::vector<std::vector<std::string>> DataflowBuilder::chain_groups(const ArrayEquation::Sum& sum) const {
  std::vector<std::string> steps, axes;
  const auto is_axis = [&](const std::string& v) {
    return mapping_.spacetime ? has_own_chain(v, sum.own) : contains(mapping_.space, v);
  };
  for (const std::string& t : mapping_.time)
    if (std::find(sum.own.begin(), sum.own.end(), t) != sum.own.end()) steps.push_back(t);
  for (const std::string& v : sum.own)
    if (is_axis(v)) axes.push_back(v);
    else if (std::find(steps.begin(), steps.end(), v) == steps.end()) steps.push_back(v);
  if (mapping_.spacetime) {
    std::stable_sort(steps.begin(), steps.end(),
                     [&](const auto& a, const auto& b) { return steps_of_map(a) > steps_of_map(b); });
  }
  std::vector<std::vector<std::string>> groups;
  if (!steps.empty()) groups.push_back(steps);
  for (const std::string& a : axes) groups.push_back({a});
  return groups;
}

// On a map: an index along which the sum moves from processor to processor, as fast as others of its terms follow each
// other on one processor. One chain of all of them would go back in time where it turns a corner.
bool DataflowBuilder::has_own_chain(const std::string& index, const std::vector<std::string>& all) const {
  const SpaceTime& m = *mapping_.spacetime;
  const auto moves = [&](const std::string& v) {
    const auto column = static_cast<std::size_t>(std::find(m.indices.begin(), m.indices.end(), v) - m.indices.begin());
    if (column == m.indices.size()) return false;
    for (std::size_t row = 0; row < m.axes.size(); ++row)
      if (contains(mapping_.space, m.axes[row]) && m.factor(row, column) != 0) return true;
    return false;
  };
  return moves(index) && std::any_of(all.begin(), all.end(), [&](const std::string& other) {
           return !moves(other) && steps_of_map(other) == steps_of_map(index);
         });
}

// How many steps one more of an index takes on the map, counted up or down: of each level of time, outermost first.
Vector DataflowBuilder::steps_of_map(const std::string& index) const {
  const SpaceTime& m = *mapping_.spacetime;
  const auto column =
      static_cast<std::size_t>(std::find(m.indices.begin(), m.indices.end(), index) - m.indices.begin());
  Vector steps;
  for (const std::string& t : mapping_.time) {
    const auto row = static_cast<std::size_t>(std::find(m.axes.begin(), m.axes.end(), t) - m.axes.begin());
    const bool in_map = row < m.axes.size() && column < m.indices.size();
    steps.push_back(in_map ? std::abs(m.factor(row, column)) : t == index);
  }
  return steps;
}

// The domain with the ends of its last tiles, where the sum of a tile leaves the array at one processor.
isl::set DataflowBuilder::padded_domain(const ArrayEquation::Sum& sum, const std::vector<std::string>& names) const {
  isl::set domain = sum.domain;
  for (const std::string& p : sum.padded) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), p) - names.begin());
    const auto split =
        std::find_if(mapping_.splits.begin(), mapping_.splits.end(), [&](const SplitIndex& s) { return s.inner == p; });
    std::vector<Condition> inside;
    add_index_inside(p, Affine{{}, split->size}, inside);
    isl_set* wide = isl_set_insert_dims(without(domain, {at}).release(), isl_dim_set, static_cast<unsigned>(at), 1);
    domain = isl::manage(wide).intersect(set_where(context(), source(), names, inside, false));
  }
  return domain;
}

// Where the result of a chain is, in the variables around the sum: at its last points.
std::vector<Located> DataflowBuilder::ends_of_chain(const ArrayEquation& e, const ArrayEquation::Sum& written,
                                                    const Located& last, std::size_t own) const {
  const Reduce& reduce = std::get<Reduce>(written.expr->kind);
  const auto outer = written.outer.size();
  std::vector<std::size_t> own_dims;
  for (std::size_t d = outer; d < outer + own; ++d) own_dims.push_back(d);
  isl_map* to_last = isl_map_from_range(last.domain.copy());
  to_last = isl_map_move_dims(to_last, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(outer));
  const auto ends = pieces_of(isl::manage(to_last), written.outer, source());
  std::vector<Located> found;
  if (!ends) found.push_back(last); // in the coordinates of the space itself
  for (const Piece& p : ends.value_or(std::vector<Piece>{})) {
    Point at;
    for (const std::string& n : written.outer) at.push_back(Affine{{{n, 1}}, 0});
    at.insert(at.end(), p.point.begin(), p.point.end());
    found.push_back({p.domain, last.space, last.value, at, {}});
  }
  const isl::set empty = domain_around(e, written).subtract(without(space(last.space).domain, own_dims));
  if (!empty.is_empty())
    found.push_back({empty, -1, "", {}, identity_of(reduce.reducer, equations_.checked->types.of(written.expr).type)});
  return found;
}

std::vector<Located> DataflowBuilder::lower_sum(const ArrayEquation& e, const ArrayEquation::Sum& written,
                                                const std::string& name, const std::map<std::string, Affine>& outer_as,
                                                bool is_result) {
  if (const auto known = sums_done_.find(written.expr.get()); known != sums_done_.end()) return known->second;
  fresh_quota();
  Expr body;
  const ArrayEquation::Sum sum = with_sums_inside(e, written, body);
  const Reduce& reduce = std::get<Reduce>(sum.expr->kind);
  std::vector<std::string> names = sum.outer;
  names.insert(names.end(), sum.own.begin(), sum.own.end());
  std::map<std::string, Affine> as = outer_as;
  for (const std::string& v : sum.own) as[v] = Affine{{{v, 1}}, 0};
  add_split_names(e, as);
  if (mapping_.spacetime) add_ends_of_sums(e, names, as);

  const isl::set domain = padded_domain(sum, names);
  const ExprType& type = equations_.checked->types.of(is_result ? e.source->target : sum.expr);
  const int s = add_space(is_result ? name : fmt::format("{}_{}", name, name_of(reduce.reducer)), names, domain, as);
  const std::string result = new_value(s, is_result ? name : "t" + name, type.type, type.shape);
  const auto groups = chain_groups(sum);
  isl::set level = domain; // the points where the chain at hand has a value
  std::string below;       // the chain inside it
  std::vector<std::string> fixed = names;
  for (std::size_t g = groups.size(); g-- > 0;) {
    const std::string value = g == 0 ? result : new_value(s, "part" + name, type.type, type.shape);
    // Other levels inside are free: each has one last point.
    std::vector<std::string> outer_names = sum.outer;
    for (std::size_t o = 0; o < g; ++o) outer_names.insert(outer_names.end(), groups[o].begin(), groups[o].end());
    const isl::map before = earlier(context(), source(), names, groups[g], signs_, outer_names)
                                .intersect_domain(level)
                                .intersect_range(level);
    const isl::map previous = last_in(before, context(), source(), names, groups[g], signs_);
    const auto pieces = uniform_pieces_of(context(), previous, names, source());
    if (!pieces) {
      diagnostics_.unsupported(sum.expr->span, "the order of this reduction's terms has no formula")
          .with_hint("a range without gaps has one");
      return {};
    }
    isl::set first = level;
    const auto add = [&](const isl::set& where, const Expr& carried) {
      if (where.is_empty()) return;
      const Expr own = below.empty() ? body : dataflow::refer_to(out_, s, below, dataflow::own_point(space(s)));
      const isl::set real = below.empty() ? where.intersect(sum.domain) : where;
      if (!real.is_empty())
        lower_body({s, value, real, carried ? combined(reduce.reducer, carried, own) : own, &e}, as);
      const isl::set filled = where.subtract(real); // padding: what came goes on
      if (!filled.is_empty())
        lower_body({s, value, filled,
                    carried ? carried : identity_of(reduce.reducer, equations_.checked->types.of(sum.expr).type), &e},
                   as);
    };
    for (const Piece& p : *pieces) {
      add(p.domain, dataflow::refer_to(out_, s, value, p.point));
      first = first.subtract(p.domain);
    }
    add(first, Expr());
    level = level.subtract(before.range()); // its last points
    below = value;
  }

  return sums_done_[written.expr.get()] = ends_of_chain(e, written, {level, s, result, {}, {}}, sum.own.size());
}

// Takes selects apart, gives reductions inside their spaces, and keeps what is left until all spaces are known.
void DataflowBuilder::lower_body(const Body& whole, const std::map<std::string, Affine>& as_names) {
  const std::vector<std::string> names = space(whole.space).coordinates;
  for (Case& c : cases_of(equations_, *whole.equation, names, {whole.domain, whole.expr})) {
    std::vector<Case> work = {std::move(c)}, done;
    while (!work.empty()) {
      Case now = std::move(work.back());
      work.pop_back();
      Expr reduce;
      ir::walk<ExprNode>(now.expr, [&](const Expr& x) {
        if (!reduce && as<Reduce>(x)) reduce = x;
      });
      if (!reduce) {
        done.push_back(std::move(now));
        continue;
      }
      const ArrayEquation::Sum& sum = whole.equation->sum(reduce);
      for (const Located& l : lower_sum(*whole.equation, sum, whole.value, as_names, false)) {
        if (l.space >= 0 && l.point.empty() && !space(l.space).coordinates.empty()) {
          diagnostics_
              .unsupported(reduce->span,
                           "the last term of this reduction has no formula, so that nothing around it can "
                           "read it in the array")
              .with_hint("do not split its variable with `tile`");
          return;
        }
        const isl::set where = now.domain.intersect(l.domain);
        if (where.is_empty()) continue;
        const Expr by = l.space < 0 ? l.formula : dataflow::refer_to(out_, l.space, l.value, l.point);
        const bool empty_tile = l.space < 0 && !equations_.checked->types.of(reduce).is_number();
        const std::function<Expr(const Expr&)> put = [&](const Expr& x) -> Expr {
          if (x.same_as(reduce)) return by;
          if (const Binary* b = as<Binary>(x); b && empty_tile) { // a number does not stand for a tile of zeros
            if (b->rhs.same_as(reduce) && (b->op == BinaryOp::add || b->op == BinaryOp::sub)) return put(b->lhs);
            if (b->lhs.same_as(reduce) && b->op == BinaryOp::add) return put(b->rhs);
            if (b->lhs.same_as(reduce) && b->op == BinaryOp::sub)
              return Expr(Unary{UnaryOp::negate, put(b->rhs)}, x->span);
          }
          return ir::map_children<ExprNode>(x, put);
        };
        work.push_back({where, put(now.expr)});
      }
    }
    for (Case& d : done) bodies_.push_back({whole.space, whole.value, d.domain, d.expr, whole.equation});
  }
}

} // namespace cyclotron::lower
