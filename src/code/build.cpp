// SPDX-License-Identifier: MIT
#include "code/build.hpp"

#include <algorithm>
#include <limits>

namespace cyclotron::code::build {

namespace {

const Number* number_in(const Expr& expr) {
  if (const Spread* s = ir::as<Spread>(expr)) return ir::as<Number>(s->operand);
  return ir::as<Number>(expr);
}

// Numbers of the text are i64, and what does not fit is left to the machine, where it wraps around.
std::optional<std::int64_t> folded(BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool wraps = false;
  switch (op) {
  case BinaryOp::add: wraps = __builtin_add_overflow(a, b, &result); break;
  case BinaryOp::sub: wraps = __builtin_sub_overflow(a, b, &result); break;
  case BinaryOp::mul: wraps = __builtin_mul_overflow(a, b, &result); break;
  case BinaryOp::min: result = std::min(a, b); break;
  case BinaryOp::max: result = std::max(a, b); break;
  case BinaryOp::floor_div:
  case BinaryOp::mod: {
    if (b <= 0) return std::nullopt;
    const std::int64_t rest = a % b;
    result = op == BinaryOp::mod ? rest + (rest < 0 ? b : 0) : a / b - (rest < 0 ? 1 : 0);
    break;
  }
  default: return std::nullopt;
  }
  return wraps ? std::nullopt : std::optional(result);
}

// Both known: one number, in lanes where they are. Null where that is not so.
Expr both_known(BinaryOp op, const Expr& lhs, const Expr& rhs) {
  const auto a = known(lhs), b = known(rhs);
  const auto value = a && b ? folded(op, *a, *b) : std::nullopt;
  if (!value) return {};
  const Scalar scalar = number_in(lhs)->scalar;
  const std::int64_t bits = 8 * bytes_of(scalar) - 1;
  if (bits < 63 && (*value >> bits) != 0 && (*value >> bits) != -1) return {};
  const Expr result = number(*value, scalar);
  return ir::as<Spread>(lhs) ? spread(result) : result;
}

// `e + c` of an expression: e, which is null where there is only a number, and c. Of i64 and not of lanes.
struct Sum {
  Expr rest;
  std::int64_t constant = 0;
};
Sum sum_of(const Expr& expr) {
  const Binary* b = ir::as<Binary>(expr);
  const Number* n = b ? ir::as<Number>(b->rhs) : nullptr;
  const bool folds = n && n->scalar == Scalar::i64 && n->whole != std::numeric_limits<std::int64_t>::min();
  if (folds && b->op == BinaryOp::add) return {b->lhs, n->whole};
  if (folds && b->op == BinaryOp::sub) return {b->lhs, -n->whole};
  return {expr, 0};
}

Expr plus(const Expr& rest, std::int64_t constant) {
  if (constant == 0) return rest;
  if (constant > 0 || constant == std::numeric_limits<std::int64_t>::min())
    return binary(BinaryOp::add, rest, number(constant));
  return binary(BinaryOp::sub, rest, number(-constant));
}

bool is_truth(const Expr& expr, bool value) {
  const Number* n = number_in(expr);
  return n && n->scalar == Scalar::boolean && (n->whole != 0) == value;
}

} // namespace

Expr number(std::int64_t value, Scalar scalar) { return Expr(Number{scalar, value, 0}); }
Expr real(double value, Scalar scalar) { return Expr(Number{scalar, 0, value}); }
Expr truth(bool value) { return Expr(Number{Scalar::boolean, value ? 1 : 0, 0}); }
Expr zero(Scalar scalar) { return Expr(Number{scalar, 0, 0}); }
Expr variable(const std::string& name) { return Expr(Variable{name}); }
Expr lane() { return Expr(Lane{}); }

std::optional<std::int64_t> known(const Expr& expr) {
  const Number* n = number_in(expr);
  return n && is_whole(n->scalar) ? std::optional(n->whole) : std::nullopt;
}

bool is_true(const Expr& expr) { return is_truth(expr, true); }

Expr binary(BinaryOp op, const Expr& lhs, const Expr& rhs) { return Expr(Binary{op, lhs, rhs}); }

Expr add(const Expr& lhs, const Expr& rhs) {
  if (const Expr number = both_known(BinaryOp::add, lhs, rhs)) return number;
  if (known(lhs) && !known(rhs)) return add(rhs, lhs); // numbers stand on the right
  if (known(rhs) == 0) return lhs;
  const Number* n = ir::as<Number>(rhs);
  if (!n || n->scalar != Scalar::i64) return binary(BinaryOp::add, lhs, rhs);
  const Sum sum = sum_of(lhs);
  std::int64_t constant = 0;
  if (__builtin_add_overflow(sum.constant, n->whole, &constant)) return binary(BinaryOp::add, lhs, rhs);
  return plus(sum.rest, constant);
}

Expr sub(const Expr& lhs, const Expr& rhs) {
  if (const Expr number = both_known(BinaryOp::sub, lhs, rhs)) return number;
  if (known(rhs) == 0) return lhs;
  const Number* n = ir::as<Number>(rhs);
  if (n && n->scalar == Scalar::i64 && n->whole != std::numeric_limits<std::int64_t>::min())
    return add(lhs, number(-n->whole));
  return binary(BinaryOp::sub, lhs, rhs);
}

Expr mul(const Expr& lhs, const Expr& rhs) {
  if (const Expr number = both_known(BinaryOp::mul, lhs, rhs)) return number;
  if (known(lhs) && !known(rhs)) return mul(rhs, lhs);
  if (known(rhs) == 1) return lhs;
  if (known(rhs) == 0) return rhs;
  return binary(BinaryOp::mul, lhs, rhs);
}

Expr floor_div(const Expr& lhs, const Expr& rhs) {
  if (const Expr number = both_known(BinaryOp::floor_div, lhs, rhs)) return number;
  return known(rhs) == 1 ? lhs : binary(BinaryOp::floor_div, lhs, rhs);
}

Expr mod(const Expr& lhs, const Expr& rhs) {
  if (const Expr number = both_known(BinaryOp::mod, lhs, rhs)) return number;
  return binary(BinaryOp::mod, lhs, rhs);
}

Expr min(const Expr& lhs, const Expr& rhs) {
  if (const Expr number = both_known(BinaryOp::min, lhs, rhs)) return number;
  return binary(BinaryOp::min, lhs, rhs);
}

Expr max(const Expr& lhs, const Expr& rhs) {
  if (const Expr number = both_known(BinaryOp::max, lhs, rhs)) return number;
  return binary(BinaryOp::max, lhs, rhs);
}

namespace {

// A comparison of numbers that are known, which is true or false, in lanes where they are.
Expr compared(BinaryOp op, const Expr& lhs, const Expr& rhs, bool (*holds)(std::int64_t, std::int64_t)) {
  const auto a = known(lhs), b = known(rhs);
  if (!a || !b) return binary(op, lhs, rhs);
  const Expr result = truth(holds(*a, *b));
  return ir::as<Spread>(lhs) ? spread(result) : result;
}

} // namespace

Expr less(const Expr& lhs, const Expr& rhs) {
  return compared(BinaryOp::less, lhs, rhs, [](std::int64_t a, std::int64_t b) { return a < b; });
}
Expr less_equal(const Expr& lhs, const Expr& rhs) {
  return compared(BinaryOp::less_equal, lhs, rhs, [](std::int64_t a, std::int64_t b) { return a <= b; });
}
Expr equal(const Expr& lhs, const Expr& rhs) {
  return compared(BinaryOp::equal, lhs, rhs, [](std::int64_t a, std::int64_t b) { return a == b; });
}
Expr not_equal(const Expr& lhs, const Expr& rhs) {
  return compared(BinaryOp::not_equal, lhs, rhs, [](std::int64_t a, std::int64_t b) { return a != b; });
}

Expr logical_and(const Expr& lhs, const Expr& rhs) {
  if (!lhs || !rhs) return lhs ? lhs : rhs;
  if (is_truth(lhs, true) || is_truth(rhs, false)) return rhs;
  if (is_truth(rhs, true) || is_truth(lhs, false)) return lhs;
  return binary(BinaryOp::logical_and, lhs, rhs);
}

Expr logical_or(const Expr& lhs, const Expr& rhs) {
  if (!lhs || !rhs) return lhs ? lhs : rhs;
  if (is_truth(lhs, false) || is_truth(rhs, true)) return rhs;
  if (is_truth(rhs, false) || is_truth(lhs, true)) return lhs;
  return binary(BinaryOp::logical_or, lhs, rhs);
}

Expr logical_not(const Expr& operand) {
  if (const Unary* u = ir::as<Unary>(operand); u && u->op == UnaryOp::logical_not) return u->operand;
  return unary(UnaryOp::logical_not, operand);
}

Expr unary(UnaryOp op, const Expr& operand) { return Expr(Unary{op, operand}); }

Expr select(const Expr& condition, const Expr& then_value, const Expr& else_value) {
  if (is_truth(condition, true)) return then_value;
  if (is_truth(condition, false)) return else_value;
  return Expr(Select{condition, then_value, else_value});
}

Expr convert(Scalar to, const Expr& operand) {
  const Number* n = ir::as<Number>(operand);
  if (n && n->scalar == to) return operand;
  const std::int64_t bits = 8 * bytes_of(to) - 1;
  if (n && is_whole(n->scalar) && is_whole(to) && (bits == 63 || (n->whole >> bits) == 0 || (n->whole >> bits) == -1))
    return number(n->whole, to);
  return Expr(Convert{to, operand});
}

Expr spread(const Expr& operand) { return Expr(Spread{operand}); }

Expr shift(const Expr& operand, std::int64_t distance, const Expr& from) {
  return distance == 0 ? operand : Expr(Shift{operand, distance, from});
}

Expr extract(const Expr& operand, const Expr& lane) { return Expr(Extract{operand, lane}); }
Expr any(const Expr& operand) { return Expr(AnyLane{operand}); }

Expr load(const std::string& memory, const Expr& index, const Expr& mask) {
  return Expr(Load{memory, index, {}, mask});
}
Expr load_lanes(const std::string& memory, const Expr& index, std::int64_t stride, const Expr& mask) {
  return Expr(Load{memory, index, number(stride), mask});
}

Statement declare(const std::string& name, Type type, const Expr& value) { return {Declare{name, type, value}}; }
Statement assign(const std::string& name, const Expr& value) { return {Assign{name, value}}; }
Statement store(const std::string& memory, const Expr& index, const Expr& value, const Expr& mask) {
  return {Store{memory, index, {}, value, mask}};
}
Statement store_lanes(const std::string& memory, const Expr& index, const Expr& value, const Expr& mask,
                      std::int64_t stride) {
  return {Store{memory, index, number(stride), value, mask}};
}
Statement loop(Run run, const std::string& variable, const Expr& first, const Expr& end, Body body) {
  return {For{variable, first, end, 1, run, 0, std::move(body)}};
}
Statement when(const Expr& condition, Body body) { return {If{condition, std::move(body)}}; }

} // namespace cyclotron::code::build
