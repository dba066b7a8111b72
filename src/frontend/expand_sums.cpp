// SPDX-License-Identifier: MIT
#include "frontend/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::frontend {

using namespace recurrence;

namespace {

using Names = std::vector<std::string>; // in order of appearance

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Indices that occur in an expression and are bound by nothing inside it.
void free_indices(const Expr& expr, Names& bound, Names& found) {
  if (const Name* n = as<Name>(expr)) {
    if (n->kind == NameKind::index && !contains(bound, n->id) && !contains(found, n->id)) found.push_back(n->id);
    return;
  }
  const Reduce* reduce = as<Reduce>(expr);
  if (reduce)
    for (const Binder& b : reduce->variables) bound.push_back(b.name);
  ir::each_child<ExprNode>(expr, [&](const Expr& e) { free_indices(e, bound, found); });
  if (reduce) bound.resize(bound.size() - reduce->variables.size());
}

bool occurs(const std::string& name, const Expr& expr) {
  Names bound, found;
  free_indices(expr, bound, found);
  return contains(found, name);
}

bool is_additive(const Expr& e) {
  const Binary* b = as<Binary>(e);
  return b && (b->op == BinaryOp::add || b->op == BinaryOp::sub);
}

// Nodes that pass a sum through: a factor of a product, the operand of a sign.
bool is_linear(const Expr& e) {
  if (const Binary* b = as<Binary>(e)) return b->op == BinaryOp::mul || b->op == BinaryOp::div || is_additive(e);
  if (const Unary* u = as<Unary>(e)) return u->op == UnaryOp::negate;
  return false;
}

class SumPlacer {
public:
  SumPlacer(const Equation& equation, Diagnostics& diagnostics) : equation_(equation), diagnostics_(diagnostics) {}

  // `names` are free in `expr`, and are to be summed inside it.
  Expr place(const Expr& expr, const Names& names) {
    Names here, below;
    for (const std::string& name : names) (goes_below(expr, name) ? below : here).push_back(name);
    Expr result = expr;
    if (!below.empty())
      result = ir::map_children<ExprNode>(expr, [&](const Expr& child) {
        Names inside;
        for (const std::string& name : below)
          if (occurs(name, child)) inside.push_back(name);
        return inside.empty() ? child : place(child, inside);
      });
    if (here.empty()) return result;
    std::vector<Binder> variables;
    for (const std::string& name : here) variables.push_back({name, first_use(expr, name)});
    return Expr(Reduce{Reducer::sum, std::move(variables), result}, expr->span);
  }

private:
  static std::vector<Expr> children_with(const Expr& expr, const std::string& name) {
    std::vector<Expr> list;
    ir::each_child<ExprNode>(expr, [&](const Expr& e) {
      if (occurs(name, e)) list.push_back(e);
    });
    return list;
  }

  // Whether some sum or difference inside separates the term of `name` from the rest of `expr`.
  static bool holds_separate_term(const Expr& expr, const std::string& name) {
    if (is_additive(expr)) return true;
    const auto inside = children_with(expr, name);
    if (inside.size() != 1 || as<Access>(expr)) return false;
    return holds_separate_term(inside[0], name);
  }

  bool goes_below(const Expr& expr, const std::string& name) {
    if (is_additive(expr)) return true;
    if (as<Access>(expr) || as<Name>(expr)) return false;
    const auto inside = children_with(expr, name);
    if (inside.size() != 1) return false;
    if (const Unary* u = as<Unary>(expr); u && u->op == UnaryOp::negate) return true;
    if (holds_separate_term(inside[0], name)) return true;
    const Reduce* reduce = as<Reduce>(expr);
    if (is_linear(expr) || as<KernelCall>(expr) || (reduce && reduce->reducer == Reducer::sum)) return false;
    refuse(expr, inside[0], name);
    return false;
  }

  void refuse(const Expr& outer, const Expr& inner, const std::string& name) {
    if (!refused_.insert(name).second) return;
    diagnostics_.error(outer->span, fmt::format("`{}` is summed, but it is not clear where", name))
        .label(fmt::format("the sum over `{}` could stand inside or outside", name))
        .note(equation_.span, fmt::format("`{}` stands only on the right and under no reduction", name))
        .with_hint(fmt::format("write the sum out: `sum[{0}]({1})`, or put `sum[{0}]({2})` inside", name, print(outer),
                               print(inner)));
  }

  static Span first_use(const Expr& expr, const std::string& name) {
    Span at;
    ir::walk<ExprNode>(expr, [&](const Expr& e) {
      if (const Name* n = as<Name>(e); n && n->id == name && !at.known()) at = e->span;
    });
    return at;
  }

  const Equation& equation_;
  Diagnostics& diagnostics_;
  std::set<std::string> refused_;
};

// An index that some reduction of the equation binds, but which stands outside it, too: most likely a slip.
bool report_used_outside(const Equation& equation, const Names& names, Diagnostics& diagnostics) {
  const int before = diagnostics.errors();
  for (const std::string& name : names)
    ir::walk<ExprNode>(equation.value, [&](const Expr& e) {
      const Reduce* reduce = as<Reduce>(e);
      if (!reduce || diagnostics.errors() != before) return;
      for (const Binder& b : reduce->variables)
        if (b.name == name)
          diagnostics
              .error(e->span, fmt::format("`{}` is the variable of this reduction, but stands outside it, too", name))
              .note(equation.span, fmt::format("`{}` has no meaning outside", name))
              .with_hint("use an index of the left-hand side there, or give the reduction another variable");
    });
  return diagnostics.errors() != before;
}

} // namespace

Unit expand_sums(const Unit& unit, Diagnostics& diagnostics) {
  Unit result = unit;
  for (Equation& equation : result.program.equations) {
    Names bound, on_left, on_right;
    free_indices(equation.target, bound, on_left);
    free_indices(equation.value, on_left, on_right);
    if (on_right.empty() || report_used_outside(equation, on_right, diagnostics)) continue;
    equation.value = SumPlacer(equation, diagnostics).place(equation.value, on_right);
  }
  return result;
}

} // namespace cyclotron::frontend
