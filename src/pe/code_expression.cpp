// SPDX-License-Identifier: MIT
// Expressions as code. The types are those of recurrence/types.cpp: literals and coordinates take the type of what they
// are combined with, and division and roots compute in floating point.
#include "pe/code_builder.hpp"
#include "support/diagnostics.hpp"

#include <limits>

namespace cyclotron::pe {

using recurrence::BinaryOp;
using recurrence::ExprType;
using recurrence::Function;
using tensor::is_float;
using tensor::real_word;
using tensor::whole_word;

namespace {

ExprType typed(ValueType type, bool literal = false) { return {type, literal, {}}; }

ExprType as_real(ExprType t) {
  if (!is_float(t.type)) t.type = ValueType::f64;
  return t;
}

ExprType as_number(ExprType t) {
  if (t.type == ValueType::boolean) t = typed(ValueType::i64);
  return t;
}

bool both_conditions(const ExprType& a, const ExprType& b) {
  return a.type == ValueType::boolean && b.type == ValueType::boolean;
}

ExprType type_of(const recurrence::Number& n) {
  if (!n.integer) return typed(ValueType::f64, true);
  return typed(ValueType::i64, *n.integer <= std::numeric_limits<std::int32_t>::max());
}

} // namespace

CodeBuilder::Value CodeBuilder::known(Word word, const ExprType& type) {
  return {constant(word), type, false, false, word, {}};
}

CodeBuilder::Value CodeBuilder::made(Opcode op, const ExprType& type, int b, int c) {
  const int to = temporary(false);
  emit(op, to, b, c);
  if (type.type == ValueType::f32) emit(Opcode::to_f32, to, to);
  if (type.type == ValueType::i32) emit(Opcode::check_i32, to, to);
  return {to, type, false, true, {}, {}};
}

int CodeBuilder::converted(int word, ValueType from, ValueType to) {
  return converted(Value{word, typed(from), false, false, {}, {}}, to).at;
}

CodeBuilder::Value CodeBuilder::converted(const Value& value, ValueType type) {
  const ValueType from = value.type.type;
  if (from == type) return value;
  if (value.is_tile) { // tiles compute in f64 and are rounded when they are written
    Value same = value;
    same.type = typed(type);
    return same;
  }
  if (is_float(from) && !is_float(type)) bug("a floating-point value was accepted for an integer");
  if (value.constant && is_float(type)) {
    const double exact = is_float(from) ? value.constant->real : static_cast<double>(value.constant->whole);
    return known(real_word(type == ValueType::f32 ? static_cast<double>(static_cast<float>(exact)) : exact),
                 typed(type));
  }
  if (is_float(type)) {
    if (!is_float(from)) return made(Opcode::to_real, typed(type), value.at);
    if (type == ValueType::f64) return {value.at, typed(type), false, value.is_temporary, {}, {}};
    const int to = temporary(false);
    emit(Opcode::to_f32, to, value.at);
    return {to, typed(type), false, true, {}, {}};
  }
  using Narrow = std::numeric_limits<std::int32_t>;
  const bool fits = value.constant && value.constant->whole >= Narrow::min() && value.constant->whole <= Narrow::max();
  Value same{value.at, typed(type), false, value.is_temporary, value.constant, {}};
  if (type == ValueType::i32 && !fits && from != ValueType::boolean) emit(Opcode::check_i32, value.at, value.at);
  return same;
}

CodeBuilder::Value CodeBuilder::value(const Expr& expr) {
  const Span outer = span_;
  span_ = expr->span;
  Value result = recurrence::match(
      expr, [&](const recurrence::Number& n) { return number(n); },
      [&](const recurrence::Boolean& b) { return known(whole_word(b.value), typed(ValueType::boolean)); },
      [&](const recurrence::Name& n) { return name(n); }, [&](const recurrence::Access& a) { return access(a); },
      [&](const recurrence::Unary& u) { return unary(u); }, [&](const recurrence::Binary& b) { return binary(b); },
      [&](const recurrence::Call& c) { return call(c); }, [&](const recurrence::Select& s) { return select(s); },
      [&](const recurrence::Reduce&) -> Value { bug("a program of a PE has no reductions"); },
      [&](const recurrence::KernelCall& k) { return kernel(k); });
  span_ = outer;
  return result;
}

CodeBuilder::Value CodeBuilder::number(const recurrence::Number& n) {
  return n.integer ? known(whole_word(*n.integer), pe::type_of(n)) : known(real_word(n.value), pe::type_of(n));
}

CodeBuilder::Value CodeBuilder::name(const recurrence::Name& n) {
  const Linear at = linear(Affine{{{n.id, 1}}, 0});
  if (at.terms.empty()) return known(whole_word(at.constant), typed(ValueType::i64, true));
  return made(Opcode::index, typed(ValueType::i64, true), form(at));
}

CodeBuilder::Value CodeBuilder::access(const recurrence::Access& a) {
  static const recurrence::Program no_constants;
  const Home& from = home(a.tensor);
  std::vector<Linear> at;
  for (const Expr& e : a.indices) at.push_back(linear(recurrence::accepted_affine(e, no_constants)));
  const bool tile = !from.reg->tile.empty();
  return {read(from, at), typed(from.reg->type), tile, false, {}, from.reg->tile};
}

CodeBuilder::Value CodeBuilder::unary(const recurrence::Unary& u) {
  const Value a = value(u.operand);
  if (u.op == recurrence::UnaryOp::logical_not) return made(Opcode::logical_not, typed(ValueType::boolean), a.at);
  if (a.is_tile) {
    const int to = temporary(true);
    emit(Opcode::negate_tile, to, a.at);
    return {to, a.type, true, true, {}, a.largest};
  }
  ExprType type = a.type;
  if (type.type == ValueType::boolean) type.type = ValueType::i64;
  if (a.constant && is_float(type.type)) return known(real_word(-a.constant->real), type);
  if (a.constant && a.constant->whole > std::numeric_limits<std::int64_t>::min() && !is_float(type.type))
    return known(whole_word(-a.constant->whole), type);
  return made(is_float(type.type) ? Opcode::negate_real : Opcode::negate_whole, type, a.at);
}

CodeBuilder::Value CodeBuilder::binary(const recurrence::Binary& b) {
  if (recurrence::is_logical(b.op)) return logical(b);
  Value lhs = value(b.lhs), rhs = value(b.rhs);
  if (lhs.is_tile || rhs.is_tile) return tile_binary(b.op, lhs, rhs);
  if (recurrence::is_comparison(b.op)) return comparison(b.op, lhs, rhs);
  ExprType type = recurrence::promote(lhs.type, rhs.type);
  if (b.op == BinaryOp::div) type = as_real(type);
  lhs = converted(lhs, type.type);
  rhs = converted(rhs, type.type);
  const bool floating = is_float(type.type);
  switch (b.op) {
  case BinaryOp::add: return made(floating ? Opcode::add_real : Opcode::add_whole, type, lhs.at, rhs.at);
  case BinaryOp::sub: return made(floating ? Opcode::sub_real : Opcode::sub_whole, type, lhs.at, rhs.at);
  case BinaryOp::mul: return made(floating ? Opcode::mul_real : Opcode::mul_whole, type, lhs.at, rhs.at);
  default: return made(Opcode::div_real, type, lhs.at, rhs.at);
  }
}

// The right operand is looked at only where the left one does not decide.
CodeBuilder::Value CodeBuilder::logical(const recurrence::Binary& b) {
  const int to = temporary(false);
  emit(Opcode::move, to, value(b.lhs).at);
  const int decided = emit(b.op == BinaryOp::logical_or ? Opcode::jump_if_true : Opcode::jump_if_false, to);
  const int rhs = value(b.rhs).at;
  emit(Opcode::move, to, rhs);
  lead_here(decided);
  return {to, typed(ValueType::boolean), false, true, {}, {}};
}

CodeBuilder::Value CodeBuilder::comparison(BinaryOp op, const Value& lhs, const Value& rhs) {
  const ValueType type =
      both_conditions(lhs.type, rhs.type) ? ValueType::boolean : recurrence::promote(lhs.type, rhs.type).type;
  const int a = converted(lhs, type).at, b = converted(rhs, type).at;
  const bool floating = is_float(type);
  const Opcode less = floating ? Opcode::less_real : Opcode::less_whole;
  const Opcode less_equal = floating ? Opcode::less_equal_real : Opcode::less_equal_whole;
  const ExprType truth = typed(ValueType::boolean);
  switch (op) {
  case BinaryOp::less: return made(less, truth, a, b);
  case BinaryOp::less_equal: return made(less_equal, truth, a, b);
  case BinaryOp::greater: return made(less, truth, b, a);
  case BinaryOp::greater_equal: return made(less_equal, truth, b, a);
  case BinaryOp::equal: return made(floating ? Opcode::equal_real : Opcode::equal_whole, truth, a, b);
  default: return made(floating ? Opcode::not_equal_real : Opcode::not_equal_whole, truth, a, b);
  }
}

int CodeBuilder::last_kernel(const Value& value) const {
  const auto& list = code_.instructions;
  const bool is_last = !list.empty() && last_target_ != static_cast<int>(list.size()) && value.is_temporary &&
                       list.back().op == Opcode::kernel && list.back().a == value.at;
  return is_last ? list.back().b : -1;
}

CodeBuilder::Value CodeBuilder::tile_binary(BinaryOp op, const Value& lhs, const Value& rhs) {
  const ExprType type = as_real(recurrence::promote(lhs.type, rhs.type));
  const int to = temporary(true);
  const bool both = lhs.is_tile && rhs.is_tile;
  if ((op == BinaryOp::add || op == BinaryOp::sub) && both) {
    // A sum with what a kernel has just made is one instruction, so that a runtime can add it in place.
    const int right = last_kernel(rhs), left = op == BinaryOp::add ? last_kernel(lhs) : -1;
    if (right >= 0)
      code_.instructions.back() = {op == BinaryOp::add ? Opcode::add_kernel : Opcode::sub_kernel, to, right, lhs.at};
    else if (left >= 0) code_.instructions.back() = {Opcode::add_kernel, to, left, rhs.at};
    else emit(op == BinaryOp::add ? Opcode::add_tile : Opcode::sub_tile, to, lhs.at, rhs.at);
  } else if (op == BinaryOp::mul && !both) {
    const Value& number = lhs.is_tile ? rhs : lhs;
    emit(Opcode::scale_tile, to, (lhs.is_tile ? lhs : rhs).at, converted(number, ValueType::f64).at);
  } else if (op == BinaryOp::div && !rhs.is_tile)
    emit(Opcode::divide_tile, to, lhs.at, converted(rhs, ValueType::f64).at);
  else bug("an operation that was accepted does not apply to tiles");
  return {to, type, true, true, {}, lhs.is_tile ? lhs.largest : rhs.largest};
}

CodeBuilder::Value CodeBuilder::call(const recurrence::Call& c) {
  std::vector<Value> arguments;
  for (const Expr& e : c.arguments) arguments.push_back(value(e));
  ExprType type = arguments[0].type;
  for (std::size_t i = 1; i < arguments.size(); ++i) type = recurrence::promote(type, arguments[i].type);
  type = as_number(type);
  if (c.function == Function::min || c.function == Function::max) return least_or_most(c, type.type, arguments);
  if (c.function == Function::abs) {
    const int a = converted(arguments[0], type.type).at;
    return made(is_float(type.type) ? Opcode::abs_real : Opcode::abs_whole, type, a);
  }
  type = as_real(type);
  const int a = converted(arguments[0], type.type).at;
  switch (c.function) {
  case Function::sqrt: return made(Opcode::sqrt_real, type, a);
  case Function::exp: return made(Opcode::exp_real, type, a);
  case Function::log: return made(Opcode::log_real, type, a);
  default: return made(Opcode::pow_real, type, a, converted(arguments[1], type.type).at);
  }
}

CodeBuilder::Value CodeBuilder::least_or_most(const recurrence::Call& c, ValueType type,
                                              const std::vector<Value>& arguments) {
  const bool least = c.function == Function::min;
  const Opcode op =
      is_float(type) ? (least ? Opcode::min_real : Opcode::max_real) : (least ? Opcode::min_whole : Opcode::max_whole);
  Value best = converted(arguments[0], type);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const int next = converted(arguments[i], type).at, to = temporary(false);
    emit(op, to, next, best.at);
    best = {to, typed(type), false, true, {}, {}};
  }
  return best;
}

// Only the chosen value is computed. Both come to the same place, in the type where they meet.
CodeBuilder::Value CodeBuilder::select(const recurrence::Select& s) {
  const ExprType a = type_of(s.then_value), b = type_of(s.else_value);
  const ExprType type = both_conditions(a, b) ? a : recurrence::promote(a, b);
  const int past = emit(Opcode::jump_if_false, value(s.condition).at);
  const Value then_value = converted(value(s.then_value), type.type);
  const bool tile = then_value.is_tile;
  const int to = temporary(tile);
  const Opcode move = tile ? Opcode::move_tile : Opcode::move;
  emit(move, to, then_value.at);
  const int end = emit(Opcode::jump);
  lead_here(past);
  emit(move, to, converted(value(s.else_value), type.type).at);
  lead_here(end);
  return {to, type, tile, true, {}, then_value.largest};
}

CodeBuilder::Value CodeBuilder::kernel(const recurrence::KernelCall& call) {
  KernelCode made{recurrence::kernel_named(call.kernel), {}, {}, {}};
  if (!made.kernel) bug("there is no kernel `" + call.kernel + "`");
  ExprType type = typed(ValueType::f64);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Value a = value(call.arguments[i]);
    if (!a.is_tile) bug("an argument of a kernel is no tile");
    type.type = i == 0 ? a.type.type : recurrence::promote(typed(type.type), typed(a.type.type)).type;
    made.arguments.push_back(a.at);
    made.largest.push_back(a.largest);
    made.consumed.push_back(false);
  }
  const std::vector<std::int64_t> largest = recurrence::result_extents(*made.kernel, made.largest);
  code_.kernels.push_back(std::move(made));
  const int to = temporary(true);
  emit(Opcode::kernel, to, static_cast<int>(code_.kernels.size()) - 1);
  return {to, as_real(type), true, true, {}, largest};
}

// The type that the code of an expression will have, needed before its code where another's comes first.
ExprType CodeBuilder::type_of(const Expr& expr) {
  return recurrence::match(
      expr, [](const recurrence::Number& n) { return pe::type_of(n); },
      [](const recurrence::Boolean&) { return typed(ValueType::boolean); },
      [](const recurrence::Name&) { return typed(ValueType::i64, true); },
      [&](const recurrence::Access& a) { return typed(home(a.tensor).reg->type); },
      [&](const recurrence::Unary& u) {
        ExprType t = type_of(u.operand);
        if (u.op == recurrence::UnaryOp::negate && t.type == ValueType::boolean) t.type = ValueType::i64;
        return t;
      },
      [&](const recurrence::Binary& b) {
        if (recurrence::is_logical(b.op) || recurrence::is_comparison(b.op)) return typed(ValueType::boolean);
        const ExprType t = recurrence::promote(type_of(b.lhs), type_of(b.rhs));
        return b.op == BinaryOp::div ? as_real(t) : t;
      },
      [&](const recurrence::Call& c) {
        ExprType t = type_of(c.arguments[0]);
        for (std::size_t i = 1; i < c.arguments.size(); ++i) t = recurrence::promote(t, type_of(c.arguments[i]));
        const bool exact = c.function == Function::min || c.function == Function::max || c.function == Function::abs;
        return exact ? as_number(t) : as_real(as_number(t));
      },
      [&](const recurrence::Select& s) {
        const ExprType a = type_of(s.then_value), b = type_of(s.else_value);
        return both_conditions(a, b) ? a : recurrence::promote(a, b);
      },
      [](const recurrence::Reduce&) -> ExprType { bug("a program of a PE has no reductions"); },
      [&](const recurrence::KernelCall& k) {
        ExprType t = type_of(k.arguments[0]);
        for (std::size_t i = 1; i < k.arguments.size(); ++i)
          t = recurrence::promote(typed(t.type), typed(type_of(k.arguments[i]).type));
        return as_real(typed(t.type));
      });
}

} // namespace cyclotron::pe
