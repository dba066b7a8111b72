// SPDX-License-Identifier: MIT
#include "loops/origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace cyclotron::loops {

using namespace recurrence;

namespace {

using Names = std::vector<std::string>;

// From the variables of an equation to those of the loops; no two become one.
class Renaming {
public:
  bool add(const std::string& own, const std::string& placed) {
    const auto [at, is_new] = to_.try_emplace(own, placed);
    if (!is_new) return at->second == placed;
    return from_.try_emplace(placed, own).second;
  }
  const std::map<std::string, std::string>& names() const { return to_; }

private:
  std::map<std::string, std::string> to_, from_;
};

std::vector<Expr> children_of(const Expr& expr) {
  std::vector<Expr> list;
  ir::each_child<ExprNode>(expr, [&](const Expr& child) { list.push_back(child); });
  return list;
}

// The same node, its children aside.
bool same_head(const Expr& a, const Expr& b) {
  if (a->kind.index() != b->kind.index()) return false;
  return match(
      a, [&](const Number& n) { return n == *as<Number>(b); }, [&](const Boolean& n) { return n == *as<Boolean>(b); },
      [&](const Name& n) { return n == *as<Name>(b); },
      [&](const Access& n) {
        const Access& o = *as<Access>(b);
        return n.tensor == o.tensor && n.step.has_value() == o.step.has_value() && n.indices.size() == o.indices.size();
      },
      [&](const Unary& n) { return n.op == as<Unary>(b)->op; },
      [&](const Binary& n) { return n.op == as<Binary>(b)->op; },
      [&](const Call& n) { return n.function == as<Call>(b)->function; }, [&](const Select&) { return true; },
      [&](const Reduce&) { return false; }, [&](const KernelCall& n) { return n.kernel == as<KernelCall>(b)->kernel; });
}

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_limit(std::int64_t n, bool greatest) {
  const auto is = [&]<class T>(T) {
    return n == (greatest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
  };
  return is(std::int32_t{}) || is(std::int64_t{});
}

// What a reduction of nothing is, as the text has it.
bool is_nothing(const Expr& e, Reducer reducer) {
  if (const Boolean* b = as<Boolean>(e)) return reducer == (b->value ? Reducer::all : Reducer::any);
  const Number* n = as<Number>(e);
  if (!n) return false;
  switch (reducer) {
  case Reducer::sum: return n->value == 0;
  case Reducer::prod: return n->value == 1;
  case Reducer::min: return n->integer ? is_limit(*n->integer, true) : n->value == infinity;
  case Reducer::max: return n->integer ? is_limit(*n->integer, false) : n->value == -infinity;
  default: return false;
  }
}

class Search {
public:
  Search(const Statement& statement, const std::vector<const Loop*>& around, const Program& program)
      : statement_(statement), around_(around), program_(program) {}

  std::vector<Origin> run() {
    for (std::size_t i = 0; i < program_.equations.size(); ++i) {
      equation_ = &program_.equations[i];
      Origin origin{static_cast<int>(i), {}, {}};
      collect_indices(origin.variables);
      indices_ = origin.variables;
      if (statement_.reducer) search_reductions(equation_->value, origin);
      else if (fits_assignment()) add(origin);
    }
    if (found_.size() > 1) decide();
    return std::move(found_);
  }

private:
  void collect_indices(Names& names) const {
    ir::walk<ExprNode>(equation_->target, [&](const Expr& e) {
      const Name* n = as<Name>(e);
      if (n && n->kind == NameKind::index && std::find(names.begin(), names.end(), n->id) == names.end())
        names.push_back(n->id);
    });
  }

  void add(Origin origin) {
    origin.names = state_.renaming.names();
    origin.parts = state_.parts;
    found_.push_back(std::move(origin));
  }

  // Keeps those whose constraints hold wherever the statement runs, and of these those that its name is made for.
  void decide() {
    std::vector<Origin> right;
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (constraints_hold(program_.equations[static_cast<std::size_t>(found_[i].equation)], found_[i].names))
        right.push_back(found_[i]);
    std::vector<Origin> named;
    for (const Origin& o : right)
      if (statement_.access().tensor.starts_with(
              "t" + program_.equations[static_cast<std::size_t>(o.equation)].access().tensor))
        named.push_back(o);
    if (!right.empty()) found_ = named.empty() ? right : named;
  }

  bool constraints_hold(const Equation& equation, const std::map<std::string, std::string>& names) {
    for (const Constraint& constraint : equation.constraints)
      for (const Condition& c : conditions_of(constraint, program_)) {
        Condition renamed{Affine{{}, c.affine.constant}, c.kind};
        bool known = true; // variables of other reductions are not
        for (const auto& [name, k] : c.affine.terms) {
          const auto at = names.find(name);
          known &= at != names.end() || program_.is_size(name);
          renamed.affine = renamed.affine + Affine{{{at == names.end() ? name : at->second, k}}, 0};
        }
        const auto holds = [&] {
          return domain_of(statement_, around_, context_, program_, {negated(renamed)}).is_empty();
        };
        if (known && !context_.bounded(holds).value_or(true)) return false;
      }
    return true;
  }

  bool fits_assignment() {
    state_ = {};
    variables_ = indices_;
    return fits(equation_->target, statement_.target) && fits(equation_->value, statement_.value);
  }

  void search_reductions(const Expr& expr, Origin origin) {
    if (const Reduce* reduce = as<Reduce>(expr)) {
      if (fits_accumulation(*reduce, expr, origin.variables)) {
        Origin found = origin;
        found.reduction = expr;
        add(found);
      }
      for (const Binder& b : reduce->variables) origin.variables.push_back(b.name);
    }
    const auto in_branch = [&](const Expr& condition, bool taken, const Expr& value) {
      branches_.emplace_back(condition, taken);
      search_reductions(value, origin);
      branches_.pop_back();
    };
    if (const Select* s = as<Select>(expr)) {
      search_reductions(s->condition, origin);
      in_branch(s->condition, true, s->then_value);
      in_branch(s->condition, false, s->else_value);
    } else if (const Binary* b = as<Binary>(expr); b && is_logical(b->op)) {
      search_reductions(b->lhs, origin);
      in_branch(b->lhs, b->op == BinaryOp::logical_and, b->rhs);
    } else {
      ir::each_child<ExprNode>(expr, [&](const Expr& child) { search_reductions(child, origin); });
    }
  }

  bool fits_accumulation(const Reduce& reduce, const Expr& expr, const Names& variables) {
    if (*statement_.reducer != reduce.reducer) return false;
    state_ = {};
    variables_ = variables;
    if (!fits_temporary(statement_.access())) return false;
    state_.parts.emplace_back(statement_.target, expr);
    for (const Binder& b : reduce.variables) variables_.push_back(b.name);
    return fits_body(reduce, reduce.body, statement_.value);
  }

  // A temporary has the indices of its equation's target, then the variables of the reductions around its own.
  bool fits_temporary(const Access& placed) {
    const Access& own = equation_->access();
    const std::size_t extra = variables_.size() - indices_.size();
    if (own.step.has_value() != placed.step.has_value()) return false;
    if (own.indices.size() + extra != placed.indices.size()) return false;
    if (own.step && !fits(*own.step, *placed.step)) return false;
    for (std::size_t d = 0; d < own.indices.size(); ++d)
      if (!fits(own.indices[d], placed.indices[d])) return false;
    for (std::size_t d = 0; d < extra; ++d) {
      const Name* name = as<Name>(placed.indices[own.indices.size() + d]);
      if (!name || !state_.renaming.add(variables_[indices_.size() + d], name->id)) return false;
    }
    return true;
  }

  // `select(j < i, A(i,j), 0)` is A(i,j) where the loops keep to j < i; and a reduction in a branch that decides by
  // data adds nothing where the branch is not taken: `select(b(i) > 0, A(i,j), 0)`.
  bool fits_body(const Reduce& reduce, const Expr& own, const Expr& placed) {
    const State before = state_;
    if (fits(own, placed)) return true;
    state_ = before;
    if (const Select* s = as<Select>(own))
      for (const bool taken : {true, false}) {
        if (!is_nothing(taken ? s->else_value : s->then_value, reduce.reducer)) continue;
        if (fits_body(reduce, taken ? s->then_value : s->else_value, placed)) return true;
        state_ = before;
      }
    const Select* s = as<Select>(placed);
    if (!s) return false;
    for (const auto& [condition, taken] : branches_) {
      const Expr& nothing = taken ? s->else_value : s->then_value;
      if (is_nothing(nothing, reduce.reducer) && fits(condition, s->condition) &&
          fits_body(reduce, own, taken ? s->then_value : s->else_value)) {
        state_.parts.emplace_back(placed, reduce.body);
        state_.parts.emplace_back(nothing, reduce.body);
        return true;
      }
      state_ = before;
    }
    return false;
  }

  // A reduction has become a temporary.
  bool fits(const Expr& own, const Expr& placed) {
    state_.parts.emplace_back(placed, own);
    if (as<Reduce>(own)) {
      const Access* a = as<Access>(placed);
      return a && !program_.tensor(a->tensor) && fits_temporary(*a);
    }
    if (const Name* a = as<Name>(own), *b = as<Name>(placed); a && b && a->kind == NameKind::index)
      return b->kind == NameKind::index && state_.renaming.add(a->id, b->id);
    if (!same_head(own, placed)) return false;
    const std::vector<Expr> a = children_of(own), b = children_of(placed);
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!fits(a[i], b[i])) return false;
    return true;
  }

  // What is known of the equation in hand so far.
  struct State {
    Renaming renaming;
    std::vector<std::pair<Expr, Expr>> parts;
  };

  const Statement& statement_;
  const std::vector<const Loop*>& around_;
  const Program& program_;
  IslContext context_;
  const Equation* equation_ = nullptr;
  Names indices_;                               // of that equation
  Names variables_;                             // the same, and those of the reductions around the expression in hand
  std::vector<std::pair<Expr, bool>> branches_; // around the reduction in hand, and whether it is where they hold
  State state_;
  std::vector<Origin> found_;
};

} // namespace

std::vector<Origin> origins_of(const Statement& statement, const std::vector<const Loop*>& around,
                               const Program& program) {
  return Search(statement, around, program).run();
}

} // namespace cyclotron::loops
