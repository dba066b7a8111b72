// SPDX-License-Identifier: MIT
#include "recurrence/failures.hpp"

#include <fmt/format.h>

namespace cyclotron::recurrence {

void report_failure(Failure failure, Span span, const std::string& element, Diagnostics& diagnostics) {
  switch (failure) {
  case Failure::none: bug("nothing failed");
  case Failure::divides_by_zero:
    diagnostics.error(span, fmt::format("computing `{}` divides by zero", element))
        .with_hint("a pivot that is zero leads here; look at the data, or keep the zero out with `select`");
    return;
  case Failure::root_of_negative:
    diagnostics.error(span, fmt::format("computing `{}` takes the square root of a negative number", element))
        .with_hint("a matrix that is not positive definite leads here");
    return;
  case Failure::log_of_negative:
    diagnostics.error(span, fmt::format("computing `{}` takes the logarithm of a negative number", element))
        .with_hint("look at the data, or keep such numbers out with `select`");
    return;
  }
}

bool may_be_undefined(const Expr& expr) {
  bool found = false;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    const Binary* b = as<Binary>(e);
    const Call* c = as<Call>(e);
    found |= (b && b->op == BinaryOp::div) || (c && (c->function == Function::sqrt || c->function == Function::log)) ||
             as<KernelCall>(e);
  });
  return found;
}

bool can_fail(const Expr& expr, const Types& types) {
  bool found = may_be_undefined(expr);
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    const ExprType* type = types.find(e);
    if (!type) return; // an index
    const Binary* b = as<Binary>(e);
    const Call* c = as<Call>(e);
    const bool whole = !tensor::is_float(type->type) && type->type != tensor::ValueType::boolean;
    found |= whole && (as<Unary>(e) || b || (c && c->function == Function::abs) || as<Reduce>(e));
  });
  return found;
}

} // namespace cyclotron::recurrence
