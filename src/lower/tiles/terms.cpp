// SPDX-License-Identifier: MIT
#include "lower/tiles/terms.hpp"

namespace cyclotron::lower {

using namespace recurrence;

namespace {

void add_terms(const Expr& expr, bool negative, std::vector<Term>& to) {
  if (const Binary* b = as<Binary>(expr); b && (b->op == BinaryOp::add || b->op == BinaryOp::sub)) {
    add_terms(b->lhs, negative, to);
    add_terms(b->rhs, negative != (b->op == BinaryOp::sub), to);
  } else if (const Unary* u = as<Unary>(expr); u && u->op == UnaryOp::negate) {
    add_terms(u->operand, !negative, to);
  } else {
    to.push_back({expr, negative});
  }
}

void add_factors(const Expr& expr, std::vector<Expr>& to) {
  if (const Binary* b = as<Binary>(expr); b && b->op == BinaryOp::mul) {
    add_factors(b->lhs, to);
    add_factors(b->rhs, to);
  } else {
    to.push_back(expr);
  }
}

} // namespace

bool is_sum_of_terms(const Expr& expr) {
  const Binary* b = as<Binary>(expr);
  const Unary* u = as<Unary>(expr);
  return (b && (b->op == BinaryOp::add || b->op == BinaryOp::sub)) || (u && u->op == UnaryOp::negate);
}

std::vector<Term> terms_of(const Expr& expr) {
  std::vector<Term> terms;
  add_terms(expr, false, terms);
  return terms;
}

Expr sum_of(const std::vector<Term>& terms, Span span) {
  Expr sum;
  for (const Term& t : terms) {
    if (sum) sum = Expr(Binary{t.negative ? BinaryOp::sub : BinaryOp::add, sum, t.value}, span);
    else sum = t.negative ? Expr(Unary{UnaryOp::negate, t.value}, span) : t.value;
  }
  return sum;
}

std::vector<Expr> factors_of(const Expr& expr) {
  std::vector<Expr> factors;
  add_factors(expr, factors);
  return factors;
}

Expr product_of(const std::vector<Expr>& factors, Span span) {
  Expr product;
  for (const Expr& f : factors) product = product ? Expr(Binary{BinaryOp::mul, product, f}, span) : f;
  return product;
}

Expr with_names(const Expr& expr, const std::map<std::string, std::string>& names) {
  if (const Name* n = as<Name>(expr)) {
    const auto at = names.find(n->id);
    return n->kind == NameKind::index && at != names.end() ? Expr(Name{at->second, n->kind}, expr->span) : expr;
  }
  const Expr inside = ir::map_children<ExprNode>(expr, [&](const Expr& e) { return with_names(e, names); });
  const Reduce* r = as<Reduce>(inside);
  if (!r) return inside;
  Reduce renamed = *r;
  for (Binder& b : renamed.variables)
    if (const auto at = names.find(b.name); at != names.end()) b.name = at->second;
  return Expr(std::move(renamed), expr->span);
}

Constraint with_names(Constraint constraint, const std::map<std::string, std::string>& names) {
  for (Expr& e : constraint.operands) e = with_names(e, names);
  return constraint;
}

} // namespace cyclotron::lower
