// SPDX-License-Identifier: MIT
#include "lower/dataflow/array_equations.hpp"

#include "lower/contains.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

// Replaces split variables in a list by their parts, in place.
std::vector<std::string> with_parts(const std::vector<std::string>& variables, const Mapping& mapping) {
  std::vector<std::string> result = variables;
  for (const SplitIndex& s : mapping.splits)
    if (const auto at = std::find(result.begin(), result.end(), s.index); at != result.end()) {
      *at = s.inner;
      result.insert(std::find(result.begin(), result.end(), s.inner), s.outer);
    }
  return result;
}

// What the split names of the program are in their parts.
std::map<std::string, Affine> formulas_of(const Mapping& mapping) {
  std::map<std::string, Affine> result;
  for (auto s = mapping.splits.rbegin(); s != mapping.splits.rend(); ++s)
    result[s->index] = substitute(Affine{{{s->outer, s->size}, {s->inner, 1}}, 0}, result);
  return result;
}

class Flattener {
public:
  Flattener(const frontend::Checked& checked, const Mapping& mapping, Diagnostics& diagnostics)
      : checked_(checked), mapping_(mapping), diagnostics_(diagnostics) {
    result_.program = std::shared_ptr<const Program>(checked.unit, &checked.unit->program);
    result_.context = checked.domains.context;
    result_.checked = &checked;
  }

  std::optional<ArrayEquations> run() {
    check_splits();
    for (const auto& [tensor, steps] : checked_.domains.steps) find_last_step(tensor, steps);
    for (const EquationDomain& e : checked_.domains.equations) flatten(e);
    name_dimensions();
    if (diagnostics_.failed()) return std::nullopt;
    return std::move(result_);
  }

private:
  const Program& program() const { return *result_.program; }

  void check_splits() {
    std::set<std::string> known;
    for (const EquationDomain& e : checked_.domains.equations) {
      known.insert(e.indices.begin(), e.indices.end());
      for (const ReductionDomain& r : e.reductions) known.insert(r.variables.begin(), r.variables.end());
    }
    for (const SplitIndex& s : mapping_.splits) known.insert({s.outer, s.inner});
    for (const SplitIndex& s : mapping_.splits)
      if (s.size < 1) diagnostics_.error(s.span, "a tile has at least one element");
  }

  void find_last_step(const std::string& tensor, const isl::set& steps) {
    if (const auto last = last_of(steps, 0, {"step'"}, program())) result_.last_step[tensor] = *last;
  }

  isl::set split_set(const isl::set& set, const std::vector<std::string>& old,
                     const std::vector<std::string>& now) const {
    if (old == now) return set;
    const auto formulas = formulas_of(mapping_);
    Point point;
    for (const std::string& v : old) point.push_back(substitute(Affine{{{v, 1}}, 0}, formulas));
    const isl::map to_old = map_to(*result_.context, program(), now, point);
    isl_set* result = isl_set_apply(set.copy(), isl_map_reverse(to_old.copy()));
    std::vector<Condition> inside;
    for (const SplitIndex& s : mapping_.splits)
      if (contains(now, s.inner)) add_index_inside(s.inner, Affine{{}, s.size}, inside);
      else if (contains(now, s.outer)) add_parts_inside(s, inside);
    const isl::set tiles = set_where(*result_.context, program(), now, inside, false);
    return isl::manage(isl_set_coalesce(isl_set_intersect(result, tiles.copy())));
  }

  // The inner part has been split again: it is a formula of its own parts.
  void add_parts_inside(const SplitIndex& s, std::vector<Condition>& to) const {
    const Affine inner = substitute(Affine{{{s.inner, 1}}, 0}, formulas_of(mapping_));
    to.push_back({inner, Condition::Kind::nonnegative});
    to.push_back(condition_of(inner, Relation::less, Affine{{}, s.size}));
  }

  void flatten(const EquationDomain& from) {
    ArrayEquation e{from.equation,
                    from.equation->access().tensor,
                    with_parts(from.indices, mapping_),
                    from.domain,
                    from.defines,
                    {},
                    {},
                    false,
                    {}};
    e.split = formulas_of(mapping_);
    e.domain = split_set(from.domain, from.indices, e.variables);
    e.target = result_.element_of(from.equation->access(), e);
    e.defines = map_to(*result_.context, program(), e.variables, e.target).intersect_domain(e.domain);
    for (const ReductionDomain& r : from.reductions) {
      const auto& own = std::get<Reduce>(r.expr->kind).variables;
      std::vector<std::string> outer(r.variables.begin(), r.variables.end() - static_cast<std::ptrdiff_t>(own.size()));
      std::vector<std::string> inner(r.variables.end() - static_cast<std::ptrdiff_t>(own.size()), r.variables.end());
      std::vector<std::string> now_outer = with_parts(outer, mapping_), now_inner = with_parts(inner, mapping_);
      std::vector<std::string> now = now_outer;
      now.insert(now.end(), now_inner.begin(), now_inner.end());
      ArrayEquation::Sum sum{r.expr, now_outer, now_inner, split_set(r.domain, r.variables, now), {}};
      pad(sum);
      e.sums.push_back(std::move(sum));
    }
    bool reads = !e.sums.empty();
    ir::walk<ExprNode>(from.equation->value, [&](const Expr& x) { reads |= as<Access>(x) != nullptr; });
    e.constant = !reads;
    result_.equations.push_back(std::move(e));
  }

  // A reduction variable whose inner part is spread over PEs and whose outer part is steps: the sum of a tile leaves
  // the array at the same PE for all tiles, also for the last one, which may be smaller.
  void pad(ArrayEquation::Sum& sum) const {
    for (const SplitIndex& s : mapping_.splits)
      if (contains(sum.own, s.inner) && contains(sum.own, s.outer) && contains(mapping_.space, s.inner))
        sum.padded.push_back(s.inner);
  }

  // `L(i,j) = …` calls the dimensions of L i and j; `L(i,i) = …` then defines it where both are i.
  void name_dimensions() {
    std::map<std::string, std::size_t> best;
    for (const ArrayEquation& e : result_.equations) {
      std::vector<std::string> names;
      std::set<std::string> plain;
      const Access& target = e.source->access();
      const auto add = [&](const Expr& index) {
        const Affine a = accepted_affine(index, program());
        const bool is_plain = a.terms.size() == 1 && a.constant == 0 && a.terms.begin()->second == 1 &&
                              !program().is_size(a.terms.begin()->first) && plain.insert(a.terms.begin()->first).second;
        names.push_back(is_plain ? a.terms.begin()->first : "");
      };
      if (target.step) add(*target.step);
      for (const Expr& i : target.indices) add(i);
      const std::size_t score = 2 * plain.size() + (e.constant ? 0 : 1);
      if (!best.count(e.tensor) || best[e.tensor] < score) {
        best[e.tensor] = score;
        result_.dimension_names[e.tensor] = names;
      }
    }
  }

  const frontend::Checked& checked_;
  const Mapping& mapping_;
  Diagnostics& diagnostics_;
  ArrayEquations result_;
};

// --- cases ---

// Where a condition holds, in the names; nothing where it is not affine.
std::optional<isl::set> where_true(const ArrayEquations& all, const ArrayEquation& e,
                                   const std::vector<std::string>& names, const Expr& condition) {
  const Program& program = *all.program;
  if (const Boolean* b = as<Boolean>(condition)) {
    const isl::set everything = set_where(*all.context, program, names, {}, false);
    return b->value ? everything : everything.subtract(everything);
  }
  if (const Unary* u = as<Unary>(condition); u && u->op == UnaryOp::logical_not) {
    const auto inner = where_true(all, e, names, u->operand);
    if (!inner) return std::nullopt;
    return set_where(*all.context, program, names, {}, false).subtract(*inner);
  }
  const Binary* b = as<Binary>(condition);
  if (!b) return std::nullopt;
  if (is_logical(b->op)) {
    const auto lhs = where_true(all, e, names, b->lhs), rhs = where_true(all, e, names, b->rhs);
    if (!lhs || !rhs) return std::nullopt;
    return b->op == BinaryOp::logical_and ? lhs->intersect(*rhs) : lhs->unite(*rhs);
  }
  if (!is_comparison(b->op)) return std::nullopt;
  const auto lhs = affine_of(b->lhs, program), rhs = affine_of(b->rhs, program);
  if (!std::holds_alternative<Affine>(lhs) || !std::holds_alternative<Affine>(rhs)) return std::nullopt;
  const Condition c = condition_of(substitute(std::get<Affine>(lhs), e.split), relation_of(b->op),
                                   substitute(std::get<Affine>(rhs), e.split));
  if (c.kind != Condition::Kind::nonzero) return set_where(*all.context, program, names, {c}, false);
  return set_where(*all.context, program, names, {}, false)
      .subtract(set_where(*all.context, program, names, {{c.affine, Condition::Kind::zero}}, false));
}

// The first select with an affine condition, outside of reductions.
const Select* first_select(const ArrayEquations& all, const ArrayEquation& e, const std::vector<std::string>& names,
                           const Expr& expr, Expr& found, std::optional<isl::set>& where) {
  if (as<Reduce>(expr)) return nullptr;
  if (const Select* s = as<Select>(expr))
    if (auto set = where_true(all, e, names, s->condition)) {
      found = expr;
      where.emplace(*set);
      return s;
    }
  const Select* result = nullptr;
  ir::each_child<ExprNode>(expr, [&](const Expr& child) {
    if (!result) result = first_select(all, e, names, child, found, where);
  });
  return result;
}

Expr replaced(const Expr& in, const Expr& old, const Expr& now) {
  if (in.same_as(old)) return now;
  return ir::map_children<ExprNode>(in, [&](const Expr& child) { return replaced(child, old, now); });
}

} // namespace

const ArrayEquation::Sum& ArrayEquation::sum(const Expr& reduce) const {
  for (const Sum& s : sums)
    if (s.expr.same_as(reduce)) return s;
  bug("a reduction without a domain");
}

Point ArrayEquations::element_of(const Access& access, const ArrayEquation& equation) const {
  Point point;
  const auto add = [&](const Expr& e) { point.push_back(substitute(accepted_affine(e, *program), equation.split)); };
  if (access.step) add(*access.step);
  else if (program->is_stepped(access.tensor)) point.push_back(last_step.at(access.tensor));
  for (const Expr& i : access.indices) add(i);
  return point;
}

std::optional<ArrayEquations> array_equations(const frontend::Checked& checked, const Mapping& mapping,
                                              Diagnostics& diagnostics) {
  // Reading a tensor without a step needs its last step to be a formula.
  for (const auto& [tensor, steps] : checked.domains.steps)
    if (!last_of(steps, 0, {"step'"}, checked.program())) {
      diagnostics
          .unsupported(checked.program().tensor(tensor)->span,
                       fmt::format("the last step of `{}` is not a formula of the sizes", tensor))
          .with_hint("give the number of steps a size of its own, as in `0 <= t, t < T`");
      return std::nullopt;
    }
  return Flattener(checked, mapping, diagnostics).run();
}

std::vector<Case> cases_of(const ArrayEquations& all, const ArrayEquation& equation,
                           const std::vector<std::string>& names, const Case& whole) {
  Expr found;
  std::optional<isl::set> where;
  const Select* select = first_select(all, equation, names, whole.expr, found, where);
  if (!select) return {whole};
  std::vector<Case> result;
  const auto add = [&](const isl::set& domain, const Expr& branch) {
    if (domain.is_empty()) return;
    for (Case& c : cases_of(all, equation, names, {domain, replaced(whole.expr, found, branch)}))
      result.push_back(std::move(c));
  };
  add(whole.domain.intersect(*where), select->then_value);
  add(whole.domain.subtract(*where), select->else_value);
  return result;
}

std::optional<Affine> last_of(const isl::set& set, std::size_t dimension, const std::vector<std::string>& names,
                              const Program& program) {
  // { [the others] -> [the last] }: the dimension moved to the other side.
  isl_map* map = isl_map_from_range(isl_set_copy(set.get()));
  const auto rank = static_cast<unsigned>(names.size());
  map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, rank);
  map = isl_map_move_dims(map, isl_dim_out, 0, isl_dim_in, static_cast<unsigned>(dimension), 1);
  map = isl_map_lexmax(map);
  std::vector<std::string> others = names;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(dimension));
  const auto pieces = pieces_of(isl::manage(map), others, program);
  if (!pieces || pieces->empty()) return std::nullopt;
  for (const Piece& p : *pieces)
    if (p.point != pieces->front().point) return std::nullopt;
  return pieces->front().point[0];
}

std::vector<std::string> variables_of(const ArrayEquations& equations) {
  std::vector<std::string> all;
  const auto add = [&](const std::vector<std::string>& names) {
    for (const std::string& n : names)
      if (std::find(all.begin(), all.end(), n) == all.end()) all.push_back(n);
  };
  for (const ArrayEquation& e : equations.equations)
    if (!e.constant) add(e.variables);
  for (const ArrayEquation& e : equations.equations)
    for (const ArrayEquation::Sum& s : e.sums) add(s.own);
  return all;
}

} // namespace cyclotron::lower
