// SPDX-License-Identifier: MIT
#include "lower/code/operations.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <limits>

namespace cyclotron::lower {

namespace build = code::build;
using code::BinaryOp;
using code::Expr;
using code::Scalar;
using Value = Operations::Value;

namespace {

bool is_real(Scalar s) { return s == Scalar::f32 || s == Scalar::f64; }

std::int64_t least(Scalar s) {
  switch (s) {
  case Scalar::i16: return std::numeric_limits<std::int16_t>::min();
  case Scalar::i32: return std::numeric_limits<std::int32_t>::min();
  default: return std::numeric_limits<std::int64_t>::min();
  }
}

BinaryOp code_op(recurrence::BinaryOp op) {
  switch (op) {
  case recurrence::BinaryOp::add: return BinaryOp::add;
  case recurrence::BinaryOp::sub: return BinaryOp::sub;
  case recurrence::BinaryOp::mul: return BinaryOp::mul;
  case recurrence::BinaryOp::div: return BinaryOp::div;
  case recurrence::BinaryOp::less:
  case recurrence::BinaryOp::greater: return BinaryOp::less;
  case recurrence::BinaryOp::less_equal:
  case recurrence::BinaryOp::greater_equal: return BinaryOp::less_equal;
  case recurrence::BinaryOp::equal: return BinaryOp::equal;
  case recurrence::BinaryOp::not_equal: return BinaryOp::not_equal;
  case recurrence::BinaryOp::logical_and: return BinaryOp::logical_and;
  case recurrence::BinaryOp::logical_or: return BinaryOp::logical_or;
  }
  bug("unknown operation");
}

// A number that stands in the code, also in every lane.
const code::Number* number_in(const Expr& expr) {
  if (const auto* s = ir::as<code::Spread>(expr)) return number_in(s->operand);
  return ir::as<code::Number>(expr);
}

} // namespace

Scalar Arithmetic::scalar_of(tensor::ValueType type) const {
  switch (type) {
  case tensor::ValueType::f64: return Scalar::f64;
  case tensor::ValueType::f32: return Scalar::f32;
  case tensor::ValueType::i32: return narrow ? Scalar::i16 : Scalar::i32;
  case tensor::ValueType::i64: return Scalar::i64;
  case tensor::ValueType::boolean: return Scalar::boolean;
  }
  bug("unknown type");
}

void Operations::declare_flags(code::Body& to) const {
  if (may_overflow_) to.push_back({code::Declare{overflow_, {Scalar::boolean, lanes_}, {}}});
  if (may_be_undefined_) to.push_back({code::Declare{undefined_, {Scalar::boolean, lanes_}, {}}});
}

void Operations::fail_by_flags(code::Body& to) const {
  if (may_overflow_) to.push_back({code::Fail{overflow_code, build::variable(overflow_)}});
  if (may_be_undefined_) to.push_back({code::Fail{undefined_code, build::variable(undefined_)}});
}

Expr Operations::zero(Scalar scalar) const {
  return same(is_real(scalar) ? build::real(0, scalar) : build::number(0, scalar));
}

void Operations::flag(const std::string& name, const Expr& condition) {
  body->push_back({code::Assign{name, build::logical_or(build::variable(name), build::logical_and(mask, condition))}});
}

void Operations::flag_overflow(const Expr& condition) {
  if (!arithmetic_.checked) return;
  may_overflow_ = true;
  flag(overflow_, condition);
}

void Operations::flag_undefined(const Expr& condition) {
  may_be_undefined_ = true;
  flag(undefined_, condition);
}

Value Operations::constant(double real, std::int64_t whole, Scalar scalar) const {
  if (scalar == Scalar::boolean) return {same(build::truth(whole != 0)), scalar};
  if (scalar == Scalar::f32) real = static_cast<double>(static_cast<float>(real));
  return {same(is_real(scalar) ? build::real(real, scalar) : build::number(whole, scalar)), scalar};
}

Value Operations::named(const Value& value) {
  const auto* s = ir::as<code::Spread>(value.expr);
  const Expr& inner = s ? s->operand : value.expr;
  return ir::as<code::Variable>(inner) || ir::as<code::Number>(inner) ? value : copied(value);
}

Value Operations::copied(const Value& value) {
  const std::string name = names_("v");
  body->push_back({code::Declare{name, {value.scalar, lanes_}, value.expr}});
  return {build::variable(name), value.scalar};
}

Value Operations::converted(const Value& value, Scalar to) {
  if (value.scalar == to) return value;
  if (const code::Number* n = number_in(value.expr)) {
    const double real = is_real(n->scalar) ? n->real : static_cast<double>(n->whole);
    if (is_real(to) || n->scalar != Scalar::i64) return constant(real, n->whole, to);
    const bool fits = to == Scalar::i16 ? n->whole == static_cast<std::int16_t>(n->whole)
                                        : to == Scalar::i64 || n->whole == static_cast<std::int32_t>(n->whole);
    if (fits) return constant(real, n->whole, to);
  }
  const auto as = [&](Scalar s, const Expr& e) { return Value{build::convert(s, e), s}; };
  if (value.scalar == Scalar::i64 && to == Scalar::i32 && arithmetic_.checked) {
    const Value wide = named(value), narrow = named(as(Scalar::i32, wide.expr));
    flag_overflow(build::binary(BinaryOp::not_equal, build::convert(Scalar::i64, narrow.expr), wide.expr));
    return narrow;
  }
  // By way of f64, as everywhere: a whole number is rounded twice.
  if (!is_real(value.scalar) && to == Scalar::f32) return as(Scalar::f32, build::convert(Scalar::f64, value.expr));
  return as(to, value.expr);
}

Value Operations::unary(recurrence::UnaryOp op, const Value& operand) {
  if (op == recurrence::UnaryOp::logical_not)
    return {build::unary(code::UnaryOp::logical_not, operand.expr), Scalar::boolean};
  if (const code::Number* n = number_in(operand.expr); n && (is_real(n->scalar) || n->whole != least(n->scalar)))
    return constant(-n->real, -n->whole, operand.scalar);
  if (is_real(operand.scalar)) return {build::unary(code::UnaryOp::negate, operand.expr), operand.scalar};
  if (!arithmetic_.checked) return {build::unary(code::UnaryOp::negate, operand.expr), operand.scalar};
  const Value a = named(operand);
  flag_overflow(build::binary(BinaryOp::equal, a.expr, same(build::number(least(a.scalar), a.scalar))));
  return {build::unary(code::UnaryOp::negate, a.expr), a.scalar};
}

Value Operations::binary(recurrence::BinaryOp op, const Value& lhs, const Value& rhs) {
  const BinaryOp own = code_op(op);
  if (op == recurrence::BinaryOp::greater || op == recurrence::BinaryOp::greater_equal)
    return {build::binary(own, rhs.expr, lhs.expr), Scalar::boolean};
  if (recurrence::is_comparison(op) || recurrence::is_logical(op))
    return {build::binary(own, lhs.expr, rhs.expr), Scalar::boolean};
  if (!is_real(lhs.scalar)) return whole(op, lhs, rhs);
  if (op != recurrence::BinaryOp::div) return {build::binary(own, lhs.expr, rhs.expr), lhs.scalar};
  const code::Number* known = number_in(rhs.expr);
  const Value divisor = named(rhs);
  if (!known || known->real == 0) flag_undefined(build::binary(BinaryOp::equal, divisor.expr, zero(divisor.scalar)));
  return {build::binary(BinaryOp::div, lhs.expr, divisor.expr), lhs.scalar};
}

// The sign of a sum that does not fit differs from that of both operands; and so on.
Value Operations::whole(recurrence::BinaryOp op, const Value& lhs, const Value& rhs) {
  if (!arithmetic_.checked) return {build::binary(code_op(op), lhs.expr, rhs.expr), lhs.scalar};
  const Value a = named(lhs), b = named(rhs);
  const Value result = named({build::binary(code_op(op), a.expr, b.expr), a.scalar});
  if (op == recurrence::BinaryOp::mul) {
    flag_product(a, b, result);
    return result;
  }
  const auto differ = [](const Expr& x, const Expr& y) { return build::binary(BinaryOp::bit_xor, x, y); };
  const bool adds = op == recurrence::BinaryOp::add;
  const Expr signs = build::binary(BinaryOp::bit_and, adds ? differ(a.expr, result.expr) : differ(a.expr, b.expr),
                                   adds ? differ(b.expr, result.expr) : differ(a.expr, result.expr));
  flag_overflow(build::binary(BinaryOp::less, signs, zero(a.scalar)));
  return result;
}

void Operations::flag_product(const Value& a, const Value& b, const Value& product) {
  if (a.scalar == Scalar::i32) {
    const auto wide = [](const Value& v) { return build::convert(Scalar::i64, v.expr); };
    flag_overflow(build::binary(BinaryOp::not_equal, build::binary(BinaryOp::mul, wide(a), wide(b)), wide(product)));
    return;
  }
  if (const auto factor = build::known(a.expr)) return flag_product_with(*factor, b);
  if (const auto factor = build::known(b.expr)) return flag_product_with(*factor, a);
  // No wider type: the product divided by one factor is the other, unless it did not fit.
  const Expr minus_one = same(build::number(-1)), one = same(build::number(1));
  const Expr by_zero = build::binary(BinaryOp::equal, a.expr, zero(a.scalar));
  const Expr by_minus_one = build::binary(BinaryOp::equal, a.expr, minus_one);
  const Expr divisor = build::select(build::binary(BinaryOp::logical_or, by_zero, by_minus_one), one, a.expr);
  const Expr back = build::binary(BinaryOp::not_equal, build::binary(BinaryOp::div, product.expr, divisor), b.expr);
  const Expr least_negated = build::binary(BinaryOp::equal, b.expr, same(build::number(least(Scalar::i64))));
  flag_overflow(
      build::select(by_minus_one, least_negated,
                    build::binary(BinaryOp::logical_and, build::unary(code::UnaryOp::logical_not, by_zero), back)));
}

// Of an i64 and a factor that is known: it must not be beyond the largest and the least number divided by the factor.
void Operations::flag_product_with(std::int64_t factor, const Value& a) {
  if (factor == 0 || factor == 1) return;
  const std::int64_t lowest = least(Scalar::i64), highest = std::numeric_limits<std::int64_t>::max();
  const auto number = [&](std::int64_t n) { return same(build::number(n)); };
  if (factor == -1) return flag_overflow(build::binary(BinaryOp::equal, a.expr, number(lowest)));
  const std::int64_t one = highest / factor, other = lowest / factor;
  flag_overflow(build::logical_or(build::binary(BinaryOp::less, a.expr, number(std::min(one, other))),
                                  build::binary(BinaryOp::less, number(std::max(one, other)), a.expr)));
}

Value Operations::absolute(const Value& value) {
  if (is_real(value.scalar) || !arithmetic_.checked)
    return {build::unary(code::UnaryOp::absolute, value.expr), value.scalar};
  const Value a = named(value);
  flag_overflow(build::binary(BinaryOp::equal, a.expr, same(build::number(least(a.scalar), a.scalar))));
  return {build::unary(code::UnaryOp::absolute, a.expr), a.scalar};
}

// Roots and the like compute in f64 and are rounded, as everywhere.
Value Operations::in_double(code::UnaryOp op, const Value& value) {
  return converted({build::unary(op, converted(value, Scalar::f64).expr), Scalar::f64}, value.scalar);
}

Value Operations::call(recurrence::Function function, const std::vector<Value>& arguments) {
  using recurrence::Function;
  const Value& first = arguments.front();
  switch (function) {
  case Function::min:
  case Function::max: {
    Value best = first;
    for (std::size_t i = 1; i < arguments.size(); ++i)
      best.expr =
          build::binary(function == Function::min ? BinaryOp::min : BinaryOp::max, best.expr, arguments[i].expr);
    return best;
  }
  case Function::abs: return absolute(first);
  case Function::exp: return in_double(code::UnaryOp::exp, first);
  case Function::sqrt:
  case Function::log: {
    const Value a = named(first);
    flag_undefined(build::binary(BinaryOp::less, a.expr, zero(a.scalar)));
    if (function == Function::sqrt) return {build::unary(code::UnaryOp::sqrt, a.expr), a.scalar};
    return in_double(code::UnaryOp::log, a);
  }
  case Function::pow: {
    const Expr base = converted(first, Scalar::f64).expr, exponent = converted(arguments[1], Scalar::f64).expr;
    return converted({build::binary(BinaryOp::pow, base, exponent), Scalar::f64}, first.scalar);
  }
  }
  bug("unknown function");
}

} // namespace cyclotron::lower
