// SPDX-License-Identifier: MIT
#include "recurrence/failures.hpp"

#include <fmt/format.h>

namespace cyclotron::recurrence {

namespace {

constexpr std::string_view opening = "computing `"; // of all messages about failures, and of no other

} // namespace

bool reports_failure(const Diagnostic& diagnostic) { return diagnostic.main.message.starts_with(opening); }

void report_failure(Failure failure, Span span, const std::string& element, Diagnostics& diagnostics) {
  switch (failure) {
  case Failure::none: bug("nothing failed");
  case Failure::divides_by_zero:
    diagnostics.error(span, fmt::format("{}{}` divides by zero", opening, element))
        .with_hint("a pivot that is zero leads here; look at the data, or keep the zero out with `select`");
    return;
  case Failure::root_of_negative:
    diagnostics.error(span, fmt::format("{}{}` takes the square root of a negative number", opening, element))
        .with_hint("a matrix that is not positive definite leads here");
    return;
  case Failure::log_of_negative:
    diagnostics.error(span, fmt::format("{}{}` takes the logarithm of a negative number", opening, element))
        .with_hint("look at the data, or keep such numbers out with `select`");
    return;
  }
}

std::string overflow_hint(const Program& program, const Equation& equation) {
  if (program.tensor(equation.access().tensor)->type == tensor::ValueType::i32)
    return "declare the tensors as i64 or f64";
  bool small = false;
  const auto look = [&](const Expr& e) {
    const Access* a = as<Access>(e);
    const TensorDecl* decl = a ? program.tensor(a->tensor) : nullptr;
    small |= decl && decl->type == tensor::ValueType::i32;
  };
  ir::walk<ExprNode>(equation.value, look);
  return small ? "declare its operands as i64, too: what is made of i32 is i32"
               : "f64 holds larger numbers, whole ones exactly up to 2^53";
}

bool is_safe_divisor(const Number& divisor) { return static_cast<float>(divisor.value) != 0; }

bool may_be_undefined(const Expr& expr) {
  const auto may_be_zero = [](const Expr& divisor) {
    const Number* number = as<Number>(divisor);
    return !number || !is_safe_divisor(*number);
  };
  bool found = false;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    const Binary* b = as<Binary>(e);
    const Call* c = as<Call>(e);
    found |= (b && b->op == BinaryOp::div && may_be_zero(b->rhs)) ||
             (c && (c->function == Function::sqrt || c->function == Function::log)) || as<KernelCall>(e);
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
