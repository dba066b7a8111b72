// SPDX-License-Identifier: MIT
#include "backend/cuda/printer.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace cyclotron::backend::cuda {

using code::BinaryOp, code::Expr, code::Scalar, code::UnaryOp;

namespace {

// How tightly C++ holds an expression together, loosest first.
enum CppLevel {
  cpp_select = 1,
  cpp_or,
  cpp_and,
  cpp_equality,
  cpp_comparison,
  cpp_bits, // `&`, `|`, `^`, shifts: always in brackets inside of others, as compilers advise
  cpp_sum,
  cpp_product,
  cpp_unary,
  cpp_primary,
};

// Powers of two divide by shifts: the number of places, or nothing.
std::optional<int> places_of(const Expr& expr) {
  const code::Spread* s = ir::as<code::Spread>(expr);
  const code::Number* n = ir::as<code::Number>(s ? s->operand : expr);
  if (!n || n->whole <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(n->whole))) return std::nullopt;
  return std::countr_zero(static_cast<std::uint64_t>(n->whole));
}

bool fits_int(std::int64_t v) {
  return v > std::numeric_limits<std::int32_t>::min() && v <= std::numeric_limits<std::int32_t>::max();
}

const code::Number* small_number(const Expr& expr) {
  const code::Spread* s = ir::as<code::Spread>(expr);
  const code::Number* n = ir::as<code::Number>(s ? s->operand : expr);
  return n && code::is_whole(n->scalar) && fits_int(n->whole) ? n : nullptr;
}

std::string real_text(double value, bool narrow) {
  if (std::isnan(value) || std::isinf(value)) {
    const std::string bits =
        std::isnan(value) ? (narrow ? "__int_as_float(0x7fffffff)" : "__longlong_as_double(0x7fffffffffffffffll)")
                          : (narrow ? "__int_as_float(0x7f800000)" : "__longlong_as_double(0x7ff0000000000000ll)");
    return (std::isinf(value) && value < 0 ? "-" : "") + bits;
  }
  std::string digits = narrow ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + (narrow ? "f" : "");
}

} // namespace

std::string zero_of(Scalar scalar) {
  switch (scalar) {
  case Scalar::boolean: return "false";
  case Scalar::i32: return "0";
  case Scalar::f32: return "0.0f";
  case Scalar::f64: return "0.0";
  default: return fmt::format("({})0", code::name_of(scalar));
  }
}

std::string ExpressionPrinter::print(const Expr& expr) { return text(expr).text; }

std::string ExpressionPrinter::loose(const Expr& expr) {
  const code::Number* n = small_number(expr);
  return n ? std::to_string(n->whole) : print(expr);
}

std::string ExpressionPrinter::operand(const Expr& expr) { return at(expr, cpp_primary, true); }

std::string ExpressionPrinter::at(const Expr& expr, int level, bool loosely) {
  const code::Number* n = loosely ? small_number(expr) : nullptr;
  if (n) return n->whole < 0 ? fmt::format("({})", n->whole) : std::to_string(n->whole);
  const Text inside = text(expr);
  const bool bits = inside.level == cpp_bits && level > cpp_select;
  return inside.level < level || bits ? "(" + inside.text + ")" : inside.text;
}

std::string ExpressionPrinter::lane() {
  uses_.lane = true;
  return "lane";
}

std::string ExpressionPrinter::place(const Expr& index, const Expr& stride) {
  if (!stride) return loose(index);
  const code::Number* n = ir::as<code::Number>(stride);
  if (n && n->whole == 0) return loose(index);
  const code::Number* first = ir::as<code::Number>(index);
  const std::string begin = first && first->whole == 0 ? "" : at(index, cpp_sum) + " + ";
  if (n && n->whole == 1) return begin + lane();
  return fmt::format("{}{} * {}", begin, n ? fmt::format("{}ll", n->whole) : at(stride, cpp_product), lane());
}

ExpressionPrinter::Text ExpressionPrinter::text(const Expr& expr) {
  return ir::match(
      expr, //
      [&](const code::Number& n) { return number(n); },
      [&](const code::Variable& v) -> Text {
        return {names_(v.name), cpp_primary};
      },
      [&](const code::Lane&) -> Text {
        return {lane(), cpp_primary};
      },
      [&](const code::Load& l) { return load(l); },   //
      [&](const code::Unary& u) { return unary(u); }, //
      [&](const code::Binary& b) { return binary(b); },
      [&](const code::Select& s) -> Text {
        // Both are evaluated in any case, and both have the type.
        const std::string condition = at(s.condition, cpp_or), then_text = at(s.then_value, cpp_or);
        return {fmt::format("{} ? {} : {}", condition, then_text, at(s.else_value, cpp_or)), cpp_select};
      },
      [&](const code::Convert& c) { return convert(c); }, //
      [&](const code::Spread& s) { return text(s.operand); }, [&](const code::Shift& s) { return shift(expr, s); },
      [&](const code::Extract& e) {
        const std::string value = print(e.operand), wanted = loose(e.lane);
        if (kernel_.lanes == 1) return Text{value.find(' ') == value.npos ? value : "(" + value + ")", cpp_primary};
        return exchange(expr, fmt::format("extract<{}>(group_mask, {}, {})", kernel_.lanes, value, wanted));
      },
      [&](const code::AnyLane& a) {
        const std::string value = print(a.operand);
        if (kernel_.lanes == 1) return Text{"(" + value + ")", cpp_primary};
        return exchange(expr, fmt::format("any_lane(group_mask, {})", value));
      });
}

ExpressionPrinter::Text ExpressionPrinter::number(const code::Number& n) {
  switch (n.scalar) {
  case Scalar::boolean: return {n.whole ? "true" : "false", cpp_primary};
  case Scalar::i16: return {fmt::format("(i16){}", n.whole), cpp_unary};
  case Scalar::i32:
    if (!fits_int(n.whole)) return {"(i32)0x80000000", cpp_unary};
    return {std::to_string(n.whole), n.whole < 0 ? cpp_unary : cpp_primary};
  case Scalar::i64:
    if (n.whole == std::numeric_limits<std::int64_t>::min()) return {"(i64)0x8000000000000000ull", cpp_unary};
    return {fmt::format("{}ll", n.whole), n.whole < 0 ? cpp_unary : cpp_primary};
  default: {
    const std::string digits = real_text(n.real, n.scalar == Scalar::f32);
    return {digits, digits[0] == '-' ? cpp_unary : cpp_primary};
  }
  }
}

ExpressionPrinter::Text ExpressionPrinter::load(const code::Load& l) {
  const std::string mask = l.mask ? at(l.mask, cpp_or) : "";
  const std::string loaded = fmt::format("load({}, {})", names_(l.memory), place(l.index, l.stride));
  if (!l.mask) return {loaded, cpp_primary};
  const Scalar scalar = scope_.memory(l.memory)->scalar;
  return {fmt::format("{} ? {} : {}", mask, loaded, zero_of(scalar)), cpp_select};
}

ExpressionPrinter::Text ExpressionPrinter::unary(const code::Unary& u) {
  const Scalar scalar = type(u.operand).scalar;
  const std::string suffix = scalar == Scalar::f32 ? "f" : "";
  switch (u.op) {
  case UnaryOp::negate:
    if (!code::is_float(scalar)) return {fmt::format("negative({})", print(u.operand)), cpp_primary};
    return {"-" + at(u.operand, cpp_primary), cpp_unary};
  case UnaryOp::logical_not: return {"!" + at(u.operand, cpp_primary), cpp_unary};
  case UnaryOp::absolute: return {fmt::format("absolute({})", print(u.operand)), cpp_primary};
  case UnaryOp::sqrt: return {fmt::format("sqrt{}({})", suffix, print(u.operand)), cpp_primary};
  case UnaryOp::exp: return {fmt::format("exp{}({})", suffix, print(u.operand)), cpp_primary};
  case UnaryOp::log: return {fmt::format("log{}({})", suffix, print(u.operand)), cpp_primary};
  }
  bug("an operator with one operand");
}

ExpressionPrinter::Text ExpressionPrinter::function(const std::string& name, const code::Binary& b) {
  const std::string lhs = print(b.lhs);
  return {fmt::format("{}({}, {})", name, lhs, print(b.rhs)), cpp_primary};
}

// An i64 index is written by plain operators where it cannot wrap around; every other whole number by functions.
ExpressionPrinter::Text ExpressionPrinter::whole_binary(const code::Binary& b, Scalar scalar) {
  const bool plain = scalar == Scalar::i64 && is_bounded(b.lhs) && is_bounded(b.rhs);
  const bool loosely = !(small_number(b.lhs) && small_number(b.rhs));
  const auto infix = [&](const char* op, int level, int right) -> Text {
    const std::string lhs = at(b.lhs, level, loosely);
    return {fmt::format("{} {} {}", lhs, op, at(b.rhs, right, loosely)), level};
  };
  switch (b.op) {
  case BinaryOp::add: return plain ? infix("+", cpp_sum, cpp_sum + 1) : function("add", b);
  case BinaryOp::sub: return plain ? infix("-", cpp_sum, cpp_sum + 1) : function("subtract", b);
  case BinaryOp::mul: return plain ? infix("*", cpp_product, cpp_product + 1) : function("multiply", b);
  case BinaryOp::div: return function("divide", b);
  case BinaryOp::floor_div:
  case BinaryOp::mod: {
    const auto places = places_of(b.rhs);
    if (!places) return function(b.op == BinaryOp::mod ? "modulo" : "floor_divide", b);
    const std::string lhs = at(b.lhs, cpp_primary);
    const std::string result = b.op == BinaryOp::mod ? fmt::format("{} & {}", lhs, (std::uint64_t{1} << *places) - 1)
                                                     : fmt::format("{} >> {}", lhs, *places);
    if (scalar == Scalar::i16) return {fmt::format("(i16)({})", result), cpp_unary};
    return {result, cpp_bits};
  }
  case BinaryOp::bit_and:
  case BinaryOp::bit_or:
  case BinaryOp::bit_xor: {
    const char* op = b.op == BinaryOp::bit_and ? "&" : b.op == BinaryOp::bit_or ? "|" : "^";
    const std::string lhs = at(b.lhs, cpp_unary);
    const std::string result = fmt::format("{} {} {}", lhs, op, at(b.rhs, cpp_unary));
    if (scalar == Scalar::i16) return {fmt::format("(i16)({})", result), cpp_unary};
    return {result, cpp_bits};
  }
  default: bug("an operator of whole numbers");
  }
}

ExpressionPrinter::Text ExpressionPrinter::binary(const code::Binary& b) {
  const Scalar scalar = type(b.lhs).scalar;
  const auto infix = [&](const char* op, int level, int left, int right) -> Text {
    const bool loosely = code::is_whole(scalar) && !(small_number(b.lhs) && small_number(b.rhs));
    const std::string lhs = at(b.lhs, left, loosely);
    return {fmt::format("{} {} {}", lhs, op, at(b.rhs, right, loosely)), level};
  };
  switch (b.op) {
  case BinaryOp::min: return function("minimum", b);
  case BinaryOp::max: return function("maximum", b);
  case BinaryOp::pow: return function(scalar == Scalar::f32 ? "powf" : "pow", b);
  case BinaryOp::less: return infix("<", cpp_comparison, cpp_sum, cpp_sum);
  case BinaryOp::less_equal: return infix("<=", cpp_comparison, cpp_sum, cpp_sum);
  case BinaryOp::equal: return infix("==", cpp_equality, cpp_sum, cpp_sum);
  case BinaryOp::not_equal: return infix("!=", cpp_equality, cpp_sum, cpp_sum);
  case BinaryOp::logical_and: return infix("&&", cpp_and, cpp_and, cpp_and + 1);
  case BinaryOp::logical_or: return infix("||", cpp_or, cpp_equality, cpp_equality);
  default: break;
  }
  if (code::is_whole(scalar)) return whole_binary(b, scalar);
  switch (b.op) {
  case BinaryOp::add: return infix("+", cpp_sum, cpp_sum, cpp_sum + 1);
  case BinaryOp::sub: return infix("-", cpp_sum, cpp_sum, cpp_sum + 1);
  case BinaryOp::mul: return infix("*", cpp_product, cpp_product, cpp_product + 1);
  case BinaryOp::div: return infix("/", cpp_product, cpp_product, cpp_product + 1);
  default: bug("an operator of numbers with a fraction");
  }
}

ExpressionPrinter::Text ExpressionPrinter::convert(const code::Convert& c) {
  const Scalar from = type(c.operand).scalar;
  if (from == c.to) return text(c.operand);
  if (c.to != Scalar::boolean)
    return {fmt::format("({}){}", code::name_of(c.to), at(c.operand, cpp_primary, true)), cpp_unary};
  return {fmt::format("{} != 0", at(c.operand, cpp_sum)), cpp_equality};
}

// A statement of its own, where all threads of the group pass: a part of `c ? a : b` would be left out by some.
ExpressionPrinter::Text ExpressionPrinter::exchange(const Expr& expr, const std::string& call) {
  uses_.mask = true;
  const std::string name = fmt::format("exchanged_{}", exchanges_++);
  lines_.add(fmt::format("const {} {} = {};", code::name_of(type(expr).scalar), name, call));
  return {name, cpp_primary};
}

ExpressionPrinter::Text ExpressionPrinter::shift(const Expr& expr, const code::Shift& s) {
  const std::string value = print(s.operand), beside = s.from ? ", " + print(s.from) : "";
  const std::string scalar(code::name_of(type(expr).scalar)); // named, for a number of C++ might have another type
  return exchange(expr, fmt::format("shift<{}, {}, {}>(group_mask, {}, {}{})", kernel_.lanes, s.distance, scalar,
                                    lane(), value, beside));
}

bool ExpressionPrinter::is_bounded(const Expr& expr) const { return cuda::is_bounded(expr, facts_.bounded); }

bool is_bounded(const Expr& expr, const std::set<std::string>& bounded) {
  if (const code::Number* n = ir::as<code::Number>(expr)) return fits_int(n->whole);
  if (const code::Variable* v = ir::as<code::Variable>(expr)) return bounded.count(v->name) > 0;
  if (ir::as<code::Lane>(expr)) return true;
  if (const code::Spread* s = ir::as<code::Spread>(expr)) return is_bounded(s->operand, bounded);
  if (const code::Convert* c = ir::as<code::Convert>(expr))
    return c->to == Scalar::i64 && is_bounded(c->operand, bounded);
  const code::Binary* b = ir::as<code::Binary>(expr);
  const bool sums =
      b && (b->op == BinaryOp::add || b->op == BinaryOp::sub || b->op == BinaryOp::mul ||
            b->op == BinaryOp::floor_div || b->op == BinaryOp::mod || b->op == BinaryOp::min || b->op == BinaryOp::max);
  return sums && is_bounded(b->lhs, bounded) && is_bounded(b->rhs, bounded);
}

} // namespace cyclotron::backend::cuda
