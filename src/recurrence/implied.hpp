// SPDX-License-Identifier: MIT
// What a boolean expression being true, or false, says about indices and sizes.
#pragma once

#include "recurrence/polyhedra.hpp"

#include <optional>
#include <utility>

namespace cyclotron::recurrence {

// A comparison of affine expressions, or its opposite, as a condition; nothing where it is of other values.
std::optional<Condition> affine_comparison(const Binary& comparison, bool value, const Program& program);

// `Says` puts together what follows, in whatever form its user needs: `condition(c)`, `both(a, b)`, `either(a, b)`;
// `always()` and `never()` of constants; and `unknown()` where a value decides.
template <class Says, class Result = decltype(std::declval<const Says&>().unknown())>
Result implied(const Expr& expr, bool value, const Program& program, const Says& says) {
  const auto of = [&](const Expr& e, bool wanted) { return implied(e, wanted, program, says); };
  if (const Boolean* b = as<Boolean>(expr)) return b->value == value ? says.always() : says.never();
  if (const Unary* u = as<Unary>(expr); u && u->op == UnaryOp::logical_not) return of(u->operand, !value);
  const Binary* b = as<Binary>(expr);
  if (!b) return says.unknown();
  if (is_logical(b->op)) {
    const bool both_hold = (b->op == BinaryOp::logical_and) == value;
    return both_hold ? says.both(of(b->lhs, value), of(b->rhs, value))
                     : says.either(of(b->lhs, value), of(b->rhs, value));
  }
  const std::optional<Condition> c = affine_comparison(*b, value, program);
  return c ? says.condition(*c) : says.unknown();
}

// The same in isl's syntax; empty where nothing follows.
std::string implied_text(const Expr& expr, bool value, const Program& program);

} // namespace cyclotron::recurrence
