// SPDX-License-Identifier: MIT
#include "lower/code/expressions.hpp"

#include "support/diagnostics.hpp"

#include <limits>

namespace cyclotron::lower {

namespace build = code::build;
using code::Scalar;
using recurrence::BinaryOp;
using recurrence::ExprType;
using recurrence::Function;
using tensor::is_float;
using tensor::ValueType;

namespace {

ExprType number_type(ValueType type, bool literal = false) { return {type, literal, {}}; }

ExprType real_type(ExprType t) {
  if (!is_float(t.type)) t = number_type(ValueType::f64);
  return t;
}

// Whether some comparison in it is of indices and sizes only.
bool is_of_indices(const recurrence::Expr& condition) {
  bool found = false;
  ir::walk<recurrence::ExprNode>(condition, [&](const recurrence::Expr& e) {
    const auto* comparison = recurrence::as<recurrence::Binary>(e);
    if (!comparison || !recurrence::is_comparison(comparison->op)) return;
    bool reads = false;
    ir::walk<recurrence::ExprNode>(
        e, [&](const recurrence::Expr& x) { reads |= recurrence::as<recurrence::Access>(x) != nullptr; });
    found |= !reads;
  });
  return found;
}

ExprType not_truth(const ExprType& t) { return t.type == ValueType::boolean ? number_type(ValueType::i64) : t; }

ValueType value_type(Scalar scalar) {
  switch (scalar) {
  case Scalar::boolean: return ValueType::boolean;
  case Scalar::i16: // that is narrow
  case Scalar::i32: return ValueType::i32;
  case Scalar::i64: return ValueType::i64;
  case Scalar::f32: return ValueType::f32;
  case Scalar::f64: return ValueType::f64;
  }
  bug("unknown type");
}

} // namespace

code::Expr Expressions::of(const recurrence::Expr& expr, Scalar type) {
  return converted(typed(expr), number_type(value_type(type))).value.expr;
}

// What only chooses between numbers that are written out chooses between them in the type that is wanted.
Expressions::Typed Expressions::converted(Typed typed, const ExprType& type) {
  const Scalar scalar = operations_.scalar_of(type.type);
  const auto* chosen = ir::as<code::Select>(typed.value.expr);
  if (!chosen || !typed.type.literal) return {operations_.converted(typed.value, scalar), type};
  const Scalar own = typed.value.scalar;
  const Typed a = converted({{chosen->then_value, own}, typed.type}, type);
  const Typed b = converted({{chosen->else_value, own}, typed.type}, type);
  return {{build::select(chosen->condition, a.value.expr, b.value.expr), scalar}, type};
}

Expressions::Typed Expressions::typed(const recurrence::Expr& expr) {
  return recurrence::match(
      expr, [&](const recurrence::Number& n) { return number(n); },
      [&](const recurrence::Boolean& b) -> Typed {
        return {operations_.constant(0, b.value, Scalar::boolean), number_type(ValueType::boolean)};
      },
      [&](const recurrence::Name& n) { return name(n); },
      [&](const recurrence::Access& a) -> Typed {
        const Operations::Value value = read_(a);
        return {value, number_type(value_type(value.scalar))};
      },
      [&](const recurrence::Unary& u) { return unary(u); }, [&](const recurrence::Binary& b) { return binary(b); },
      [&](const recurrence::Call& c) { return call(c); }, [&](const recurrence::Select& s) { return select(s); },
      [&](const recurrence::Reduce&) -> Typed { bug("a rule has no reductions"); },
      [&](const recurrence::KernelCall&) -> Typed { bug("lanes hold numbers, not tiles"); });
}

Expressions::Typed Expressions::number(const recurrence::Number& n) {
  if (!n.integer) return {operations_.constant(n.value, 0, Scalar::f64), number_type(ValueType::f64, true)};
  const bool literal = *n.integer <= std::numeric_limits<std::int32_t>::max();
  return {operations_.constant(n.value, *n.integer, Scalar::i64), number_type(ValueType::i64, literal)};
}

Expressions::Typed Expressions::name(const recurrence::Name& n) {
  if (const recurrence::LetDecl* let = n.kind == recurrence::NameKind::constant ? program_.let(n.id) : nullptr)
    return typed(let->value);
  return {{index_(n.id), Scalar::i64}, number_type(ValueType::i64, true)};
}

Expressions::Typed Expressions::unary(const recurrence::Unary& u) {
  Typed operand = typed(u.operand);
  if (u.op == recurrence::UnaryOp::negate) operand = converted(operand, not_truth(operand.type));
  return {operations_.unary(u.op, operand.value), operand.type};
}

Expressions::Typed Expressions::binary(const recurrence::Binary& b) {
  if (recurrence::is_logical(b.op)) return logical(b);
  const Typed lhs = typed(b.lhs), rhs = typed(b.rhs);
  const bool compares = recurrence::is_comparison(b.op);
  ExprType type = not_truth(recurrence::promote(lhs.type, rhs.type));
  if (b.op == BinaryOp::div) type = real_type(type);
  const Typed left = converted(lhs, type), right = converted(rhs, type);
  return {operations_.binary(b.op, left.value, right.value), compares ? number_type(ValueType::boolean) : type};
}

// A mistake in the right operand counts only where the left one does not decide.
Expressions::Typed Expressions::logical(const recurrence::Binary& b) {
  const Typed lhs = typed(b.lhs);
  const Operations::Value left = operations_.named(lhs.value);
  const bool is_or = b.op == BinaryOp::logical_or;
  const Typed rhs = only_where(is_or ? build::logical_not(left.expr) : left.expr, is_of_indices(b.lhs), b.rhs);
  return {operations_.binary(b.op, left, rhs.value), number_type(ValueType::boolean)};
}

Expressions::Typed Expressions::call(const recurrence::Call& c) {
  std::vector<Typed> arguments;
  for (const recurrence::Expr& e : c.arguments) arguments.push_back(typed(e));
  ExprType type = arguments[0].type;
  for (std::size_t i = 1; i < arguments.size(); ++i) type = recurrence::promote(type, arguments[i].type);
  type = not_truth(type);
  const bool exact = c.function == Function::min || c.function == Function::max || c.function == Function::abs;
  if (!exact) type = real_type(type);
  std::vector<Operations::Value> values;
  for (const Typed& a : arguments) values.push_back(converted(a, type).value);
  return {operations_.call(c.function, values), type};
}

// Only the side that is chosen may make a mistake.
Expressions::Typed Expressions::select(const recurrence::Select& s) {
  const Operations::Value condition = operations_.named(typed(s.condition).value);
  const bool of_indices = is_of_indices(s.condition);
  const Typed a = only_where(condition.expr, of_indices, s.then_value);
  const Typed b = only_where(build::logical_not(condition.expr), of_indices, s.else_value);
  const bool truths = a.type.type == ValueType::boolean && b.type.type == ValueType::boolean;
  const ExprType type = truths ? a.type : recurrence::promote(a.type, b.type);
  const Typed left = converted(a, type), right = converted(b, type);
  return {{build::select(condition.expr, left.value.expr, right.value.expr), left.value.scalar}, type};
}

// `of_indices`: the condition is one of those that keep reads inside of their tensors.
Expressions::Typed Expressions::only_where(const code::Expr& condition, bool of_indices, const recurrence::Expr& expr) {
  const code::Expr outer = operations_.mask, around = operations_.inside;
  operations_.mask = build::logical_and(outer, condition);
  if (of_indices) operations_.inside = build::logical_and(around, condition);
  Typed result = typed(expr);
  operations_.mask = outer;
  operations_.inside = around;
  return result;
}

} // namespace cyclotron::lower
