// SPDX-License-Identifier: MIT
#include "recurrence/domains.hpp"

#include "recurrence/implied.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::recurrence {

namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A prime is a letter to isl and none to the language, so no user's name is like this.
std::string output_name(std::size_t i) { return fmt::format("o{}'", i); }

// What is in force at one place of an expression.
struct Scope {
  Names variables;
  isl::set domain; // { [variables] }
};

class DomainFinder {
public:
  DomainFinder(const Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {
    result_.context = std::make_shared<IslContext>();
    result_.program = &program;
  }

  Domains run() {
    for (const Equation& e : program_.equations) result_.equations.push_back(equation_domain(e));
    find_steps();
    for (EquationDomain& e : result_.equations) {
      placed_.assign(e.equation->constraints.size(), false);
      visit(e.equation->value, {e.indices, e.domain}, e);
      check_all_placed(e);
    }
    return std::move(result_);
  }

private:
  isl::set set_of(const Names& variables, const std::vector<Condition>& conditions) const {
    return set_where(*result_.context, program_, variables, conditions);
  }

  // The same without the conditions on sizes, for parts that are intersected with a set that has them.
  isl::set plain_set(const Names& variables, const std::vector<Condition>& conditions) const {
    return set_where(*result_.context, program_, variables, conditions, false);
  }

  // The index variables that a constraint mentions.
  Names indices_in(const Constraint& constraint) const {
    Names names;
    for (const Expr& operand : constraint.operands)
      ir::walk<ExprNode>(operand, [&](const Expr& e) {
        if (const Name* n = as<Name>(e); n && n->kind == NameKind::index && !contains(names, n->id))
          names.push_back(n->id);
      });
    return names;
  }

  static Names indices_of(const Access& target) {
    Names names;
    const auto collect = [&](const Expr& x) {
      ir::walk<ExprNode>(x, [&](const Expr& e) {
        if (const Name* n = as<Name>(e); n && n->kind == NameKind::index && !contains(names, n->id))
          names.push_back(n->id);
      });
    };
    if (target.step) collect(*target.step);
    for (const Expr& x : target.indices) collect(x);
    return names;
  }

  // --- equations ---

  EquationDomain equation_domain(const Equation& equation) {
    EquationDomain result;
    result.equation = &equation;
    result.indices = indices_of(equation.access());
    const TensorDecl& decl = *program_.tensor(equation.access().tensor);
    for (std::size_t d = 0; d < equation.access().indices.size(); ++d) {
      const Affine index = accepted_affine(equation.access().indices[d], program_);
      result.conditions.push_back(condition_of({}, Relation::less_equal, index));
      result.conditions.push_back(condition_of(index, Relation::less, accepted_affine(decl.dims[d], program_)));
    }
    for (const Constraint& c : equation.constraints) {
      const Names names = indices_in(c);
      if (std::all_of(names.begin(), names.end(), [&](const std::string& n) { return contains(result.indices, n); }))
        for (const Condition& condition : conditions_of(c, program_)) result.conditions.push_back(condition);
    }
    add_natural_bounds(result);
    add_step_ranges(result);
    result.domain = set_of(result.indices, result.conditions);
    result.defines = element_map(equation.target, {result.indices, result.domain}, false);
    const std::string id = fmt::format("S{}", result_.equations.size());
    result.defines = isl::manage(isl_map_set_tuple_name(result.defines.release(), isl_dim_in, id.c_str()));
    return result;
  }

  // Indices count from 0: `c(t+1) = c(t)` starts at t = 0, unless a constraint gives another lower bound. One with a
  // reduction's variable, `l <= t`, is about that.
  void add_natural_bounds(EquationDomain& e) {
    const auto is_own = [&](const auto& term) {
      return program_.is_size(term.first) || contains(e.indices, term.first);
    };
    for (const std::string& name : e.indices) {
      bool bounded = false;
      for (const Constraint& c : e.equation->constraints)
        for (const Condition& condition : conditions_of(c, program_)) {
          const auto& terms = condition.affine.terms;
          if (!std::all_of(terms.begin(), terms.end(), is_own)) continue;
          const std::int64_t k = condition.affine.coefficient(name);
          bounded |= k > 0 && condition.kind == Condition::Kind::nonnegative;
          bounded |= k != 0 && condition.kind == Condition::Kind::zero;
        }
      if (!bounded && on_left_outside_step(e.equation->access(), name))
        e.conditions.push_back(condition_of({}, Relation::less_equal, Affine{{{name, 1}}, 0}));
    }
  }

  // An index that stands only in the superscript is not bounded by the tensor: it ranges like a reduction
  // variable, over the dimensions that it indexes by itself on the right.
  void add_step_ranges(EquationDomain& e) {
    for (const std::string& name : e.indices) {
      if (on_left_outside_step(e.equation->access(), name)) continue;
      add_range(name, e.equation->target->span, e.equation->value, e.conditions, Ranging::step);
    }
    const isl::set domain = set_of(e.indices, e.conditions);
    if (!diagnostics_.failed() && !isl_set_is_bounded(domain.get()))
      diagnostics_.error(e.equation->target->span, "this equation would define endlessly many elements")
          .with_hint(e.equation->access().step
                         ? "bound the step on both sides with constraints, such as `1 <= t, t <= T`"
                         : "bound each index on both sides with constraints");
  }

  static bool on_left_outside_step(const Access& target, const std::string& name) {
    bool found = false;
    for (const Expr& x : target.indices)
      ir::walk<ExprNode>(x, [&](const Expr& e) {
        if (const Name* n = as<Name>(e)) found |= n->id == name;
      });
    return found;
  }

  void find_steps() {
    for (const EquationDomain& e : result_.equations) {
      const Access& target = e.equation->access();
      if (!target.step) continue;
      isl::set range = e.defines.range();
      const unsigned rank = static_cast<unsigned>(program_.tensor(target.tensor)->dims.size());
      range = isl::manage(isl_set_reset_tuple_id(isl_set_project_out(range.release(), isl_dim_set, 1, rank)));
      const auto at = result_.steps.find(target.tensor);
      if (at == result_.steps.end()) result_.steps.emplace(target.tensor, range);
      else at->second = at->second.unite(range).coalesce();
    }
  }

  // --- ranges ---

  struct Use {
    Affine size;
    std::string text; // "`A`, dimension 2"
  };

  // The dimensions that a variable indexes by itself.
  std::vector<Use> uses_alone(const std::string& name, const Expr& body) const {
    std::vector<Use> uses;
    ir::walk<ExprNode>(body, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (!a) return;
      for (std::size_t d = 0; d < a->indices.size(); ++d)
        if (const Name* n = as<Name>(a->indices[d]); n && n->id == name)
          uses.push_back({accepted_affine(program_.tensor(a->tensor)->dims[d], program_),
                          fmt::format("`{}` in `{}`", print(program_.tensor(a->tensor)->dims[d]), print(e))});
    });
    return uses;
  }

  bool provably_equal(const Affine& a, const Affine& b) const {
    if (a == b) return true;
    return set_of({}, {{a - b, Condition::Kind::nonzero}}).is_empty();
  }

  // Constraints restrict the range of a reduction variable. For a step they replace it, side by side: a step beyond
  // the range would otherwise be dropped without a word, instead of its read being refused.
  enum class Ranging { reduction, step };

  // Adds 0 <= name < size from the dimensions it indexes by itself. They must agree unless constraints bound it.
  void add_range(const std::string& name, Span span, const Expr& body, std::vector<Condition>& conditions,
                 Ranging ranging) {
    const std::string_view what = ranging == Ranging::step ? "the step" : "the variable";
    bool above = false, below = false;
    for (const Condition& c : conditions) {
      const std::int64_t k = c.affine.coefficient(name);
      if (c.kind == Condition::Kind::nonzero) continue;
      above |= k < 0 || (k != 0 && c.kind == Condition::Kind::zero);
      below |= k > 0 || (k != 0 && c.kind == Condition::Kind::zero);
    }
    const std::vector<Use> uses = uses_alone(name, body);
    const Affine variable{{{name, 1}}, 0};
    if (uses.empty()) {
      if (above && below) return;
      const std::string side = above ? "lower" : below ? "upper" : "";
      diagnostics_.error(span, fmt::format("{} `{}` has no {}", what, name, side.empty() ? "range" : side + " bound"))
          .label("it indexes no dimension by itself")
          .with_hint(
              fmt::format("bound it with constraints, such as `{}`", above   ? fmt::format("0 <= {}", name)
                                                                     : below ? fmt::format("{} < n", name)
                                                                             : fmt::format("0 <= {0}, {0} < n", name)));
      return;
    }
    const bool replaced = ranging == Ranging::step;
    if (!(below && replaced)) conditions.push_back(condition_of({}, Relation::less_equal, variable));
    if (above && replaced) return;
    for (const Use& use : uses)
      if (!provably_equal(use.size, uses[0].size)) {
        if (above) return;
        diagnostics_.error(span, fmt::format("{} `{}` ranges over two different sizes", what, name))
            .note(fmt::format("{}, but {}", uses[0].text, use.text))
            .with_hint(
                fmt::format("bound it, for example with `{} < {}`, or say that the sizes are equal: `assume {} == {}`",
                            name, print(use.size), print(uses[0].size), print(use.size)));
        return;
      }
    conditions.push_back(condition_of(variable, Relation::less, uses[0].size));
  }

  // --- expressions ---

  void visit(const Expr& expr, const Scope& scope, EquationDomain& e) {
    if (as<Access>(expr)) {
      e.reads.push_back({expr, scope.variables, scope.domain, element_map(expr, scope, true)});
      return;
    }
    if (as<Reduce>(expr)) return visit_reduce(expr, scope, e);
    if (const Select* s = as<Select>(expr)) {
      visit(s->condition, scope, e);
      visit(s->then_value, with(scope, implied_text(s->condition, true, program_)), e);
      visit(s->else_value, with(scope, implied_text(s->condition, false, program_)), e);
      return;
    }
    if (const Binary* b = as<Binary>(expr); b && is_logical(b->op)) {
      visit(b->lhs, scope, e);
      visit(b->rhs, with(scope, implied_text(b->lhs, b->op == BinaryOp::logical_and, program_)), e);
      return;
    }
    ir::each_child<ExprNode>(expr, [&](const Expr& child) { visit(child, scope, e); });
  }

  Scope with(Scope scope, const std::string& text) const {
    if (!text.empty())
      scope.domain = scope.domain.intersect(make_set(*result_.context, program_, scope.variables, {text}, false));
    return scope;
  }

  void visit_reduce(const Expr& expr, const Scope& scope, EquationDomain& e) {
    const Reduce& reduce = *as<Reduce>(expr);
    ReductionDomain domain{expr, scope.variables, {}, {}};
    Names own;
    for (const Binder& b : reduce.variables) own.push_back(b.name);
    domain.variables.insert(domain.variables.end(), own.begin(), own.end());
    for (std::size_t i = 0; i < e.equation->constraints.size(); ++i) {
      const Constraint& c = e.equation->constraints[i];
      const Names names = indices_in(c);
      const bool in_scope =
          std::all_of(names.begin(), names.end(), [&](const std::string& n) { return contains(domain.variables, n); });
      const bool mine = std::any_of(names.begin(), names.end(), [&](const std::string& n) { return contains(own, n); });
      if (!in_scope || !mine) continue;
      placed_[i] = true;
      for (const Condition& condition : conditions_of(c, program_)) domain.conditions.push_back(condition);
    }
    for (const Binder& b : reduce.variables)
      add_range(b.name, b.span, reduce.body, domain.conditions, Ranging::reduction);
    const isl::set outer =
        isl::manage(isl_set_add_dims(scope.domain.copy(), isl_dim_set, static_cast<unsigned>(own.size())));
    domain.domain = plain_set(domain.variables, domain.conditions).intersect(outer);
    const Scope inner{domain.variables, domain.domain};
    if (!diagnostics_.failed() && !isl_set_is_bounded(domain.domain.get()))
      diagnostics_.error(reduce.variables[0].span, fmt::format("the reduction over `{}` would never end", own[0]))
          .with_hint("bound its variables on both sides with constraints");
    e.reductions.push_back(domain);
    visit(reduce.body, inner, e);
  }

  // Constraints must land somewhere: on the left-hand side or in a reduction.
  void check_all_placed(const EquationDomain& e) {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const Constraint& c = e.equation->constraints[i];
      const Names names = indices_in(c);
      if (placed_[i] ||
          std::all_of(names.begin(), names.end(), [&](const std::string& n) { return contains(e.indices, n); }))
        continue;
      Names quoted;
      for (const std::string& n : names) quoted.push_back("`" + n + "`");
      diagnostics_
          .error(c.span, fmt::format("{} are never in scope together, so this constraint restricts nothing",
                                     join_names(quoted)))
          .with_hint("put one reduction inside the other, or write one reduction over both variables");
    }
  }

  // { [variables] -> Tensor[o0, o1, ...] }. A tile covers its trailing dimensions; a stepped tensor read without
  // a step gives the last one.
  isl::map element_map(const Expr& expr, const Scope& scope, bool is_read) {
    const Access& access = *as<Access>(expr);
    const TensorDecl& decl = *program_.tensor(access.tensor);
    const bool stepped = program_.is_stepped(access.tensor);
    Names outputs;
    std::vector<Condition> conditions;
    const auto equal = [&](const std::string& output, const Expr& value) {
      conditions.push_back(condition_of(Affine{{{output, 1}}, 0}, Relation::equal, accepted_affine(value, program_)));
    };
    if (stepped) {
      outputs.push_back(output_name(0));
      if (access.step) equal(outputs[0], *access.step);
    }
    for (std::size_t d = 0; d < decl.dims.size(); ++d) {
      outputs.push_back(output_name(outputs.size()));
      if (d < access.indices.size()) equal(outputs.back(), access.indices[d]);
      else add_index_inside(outputs.back(), accepted_affine(decl.dims[d], program_), conditions);
    }
    Names all = scope.variables;
    all.insert(all.end(), outputs.begin(), outputs.end());
    isl::set flat = plain_set(all, conditions);
    if (is_read && stepped && !access.step) flat = restrict_to_last(flat, scope.variables.size(), access.tensor);
    isl_map* map = isl_map_from_range(flat.release());
    map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(scope.variables.size()));
    for (unsigned i = 0; i < outputs.size(); ++i) map = isl_map_set_dim_name(map, isl_dim_out, i, nullptr);
    map = isl_map_intersect_domain(map, scope.domain.copy());
    return isl::manage(isl_map_set_tuple_name(map, isl_dim_out, isl_name(access.tensor).c_str()));
  }

  isl::set restrict_to_last(const isl::set& flat, std::size_t at, const std::string& tensor) const {
    const auto found = result_.steps.find(tensor);
    if (found == result_.steps.end()) return flat;
    const unsigned dims = static_cast<unsigned>(isl_set_dim(flat.get(), isl_dim_set)),
                   before = static_cast<unsigned>(at);
    isl_set* last = isl_set_lexmax(found->second.copy());
    last = isl_set_insert_dims(last, isl_dim_set, 0, before);
    last = isl_set_add_dims(last, isl_dim_set, dims - before - 1);
    return isl::manage(isl_set_intersect(flat.copy(), last));
  }

  const Program& program_;
  Diagnostics& diagnostics_;
  Domains result_;
  std::vector<bool> placed_; // per constraint of the equation in hand
};

} // namespace

const ReductionDomain& Domains::reduction(const Expr& expr) const {
  for (const EquationDomain& e : equations)
    for (const ReductionDomain& r : e.reductions)
      if (r.expr.same_as(expr)) return r;
  bug("a reduction has no domain");
}

Domains find_domains(const Program& program, Diagnostics& diagnostics) {
  return DomainFinder(program, diagnostics).run();
}

} // namespace cyclotron::recurrence
