// SPDX-License-Identifier: MIT
// Expressions that have lanes: numbers, and truth values about them.
#include "backend/simd/expressions.hpp"
#include "code/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace cyclotron::backend::simd {

using namespace code;

namespace {

bool is_comparison(BinaryOp op) { return op >= BinaryOp::less && op <= BinaryOp::not_equal; }

// The exponent of a power of two that is in every lane.
std::optional<int> known_shift(const Expr& expr) {
  const Spread* spread = ir::as<Spread>(expr);
  const Number* n = spread ? ir::as<Number>(spread->operand) : nullptr;
  if (!n || n->whole < 1 || !std::has_single_bit(static_cast<std::uint64_t>(n->whole))) return std::nullopt;
  return std::countr_zero(static_cast<std::uint64_t>(n->whole));
}

} // namespace

CText Expressions::piece(const Expr& expr, Vector v, std::int64_t first) {
  if (type(expr).scalar == Scalar::boolean) return truths(expr, bytes_of(v.element), first, v.lanes);
  return lanes(expr, first, v.lanes);
}

CText Expressions::part(const Expr& expr, std::int64_t first) { return piece(expr, held(type(expr).scalar), first); }

CText Expressions::held_part(const std::string& variable, Scalar scalar, std::int64_t first, std::int64_t count) {
  const Vector v = held(scalar);
  const std::string name = part_name(variable, scalar, first / v.lanes);
  return count == v.lanes ? CText{name, c_primary} : call(functions_.part(v, first % v.lanes, count), {name});
}

// How many lanes of it can be computed at a time: as many as fit the widest type that has to do with it.
std::int64_t Expressions::lanes_at_once(const Expr& expr) const {
  const std::int64_t own = most_lanes(code::bytes_of(type(expr).scalar));
  if (const Load* l = ir::as<Load>(expr)) return access_lanes(l->memory, l->index, l->stride);
  const Convert* c = ir::as<Convert>(expr);
  return c && type(c->operand).scalar != Scalar::boolean
             ? std::min(own, most_lanes(code::bytes_of(type(c->operand).scalar)))
             : own;
}

CText Expressions::lanes(const Expr& expr, std::int64_t first, std::int64_t count) {
  const Scalar scalar_type = type(expr).scalar;
  const Vector v{element_of(scalar_type), count};
  if (count > lanes_at_once(expr)) {
    const Vector half{v.element, count / 2};
    return call(functions_.join(half),
                {lanes(expr, first, half.lanes).text, lanes(expr, first + half.lanes, half.lanes).text});
  }
  return ir::match(
      expr, //
      [&](const Variable& n) { return held_part(n.name, scalar_type, first, count); },
      [&](const Lane&) { return call(functions_.lanes_from(v), {std::to_string(first)}); },
      [&](const Load& l) { return lanes_of(l, v, first); },   //
      [&](const Unary& u) { return lanes_of(u, v, first); },  //
      [&](const Binary& b) { return lanes_of(b, v, first); }, //
      [&](const Select& s) {
        return call(functions_.select(v),
                    {truths(s.condition, bytes_of(v.element), first, count).text,
                     lanes(s.then_value, first, count).text, lanes(s.else_value, first, count).text});
      },
      [&](const Convert& c) { return lanes_of(c, v, first); }, //
      [&](const Spread& s) { return call(functions_.all(v), {whole(s.operand)}); },
      [&](const Shift& s) { return lanes_of(s, v, first); }, //
      [](const auto&) -> CText { bug("one number where there are lanes"); });
}

CText Expressions::lanes_of(const Load& l, Vector v, std::int64_t first) {
  const Address from = address(l.memory, l.index, l.stride, first, v.lanes);
  const std::string function = functions_.load(v, from.way, bool(l.mask));
  std::vector<std::string> arguments{from.arguments};
  if (!from.lane_index.empty()) arguments.push_back(from.lane_index);
  if (l.mask) arguments.push_back(truths(l.mask, bytes_of(v.element), first, v.lanes).text);
  return call(function, arguments);
}

CText Expressions::lanes_of(const Unary& u, Vector v, std::int64_t first) {
  const CText operand = lanes(u.operand, first, v.lanes);
  if (u.op == UnaryOp::negate) return {"-" + bracketed(operand, operand.text[0] == '-' ? c_primary : c_unary), c_unary};
  return call(functions_.unary(v, u.op), {operand.text});
}

CText Expressions::lanes_of(const Binary& b, Vector v, std::int64_t first) {
  const CText lhs = lanes(b.lhs, first, v.lanes);
  if (b.op == BinaryOp::floor_div || b.op == BinaryOp::mod)
    if (const auto shift = known_shift(b.rhs)) { // no processor divides vectors of whole numbers
      if (b.op == BinaryOp::floor_div) return {fmt::format("{} >> {}", bracketed(lhs, c_unary), *shift), c_shift};
      return {fmt::format("{} & {}", bracketed(lhs, c_unary), (std::int64_t{1} << *shift) - 1), c_bits};
    }
  const CText rhs = lanes(b.rhs, first, v.lanes);
  const bool real = v.element == Element::f32 || v.element == Element::f64;
  const auto infix = [&](int level, int left, int right) -> CText {
    return {fmt::format("{} {} {}", bracketed(lhs, left), row_of(b.op).text, bracketed(rhs, right)), level};
  };
  switch (b.op) {
  case BinaryOp::add:
  case BinaryOp::sub: return infix(c_sum, c_sum, c_product);
  case BinaryOp::mul: return infix(c_product, c_product, c_unary);
  case BinaryOp::bit_and:
  case BinaryOp::bit_or:
  case BinaryOp::bit_xor: return infix(c_bits, c_unary, c_unary);
  case BinaryOp::div:
    if (real) return infix(c_product, c_product, c_unary);
    [[fallthrough]];
  default: return call(functions_.binary(v, b.op), {lhs.text, rhs.text});
  }
}

CText Expressions::lanes_of(const Convert& c, Vector v, std::int64_t first) {
  const Scalar from = type(c.operand).scalar;
  const bool real = v.element == Element::f32 || v.element == Element::f64;
  const std::string to = functions_.type(v);
  if (from == c.to) return lanes(c.operand, first, v.lanes);
  if (from != Scalar::boolean)
    return {fmt::format("__builtin_convertvector({}, {})", lanes(c.operand, first, v.lanes).text, to), c_primary};
  const std::string bit = bracketed(truths(c.operand, bytes_of(v.element), first, v.lanes), c_unary) + " & 1";
  return real ? CText{fmt::format("__builtin_convertvector({}, {})", bit, to), c_primary} : CText{bit, c_bits};
}

// Lanes of the two vectors side by side, from somewhere on: a whole part of them, or the end of one and the beginning
// of the next.
CText Expressions::lanes_of(const Shift& s, Vector v, std::int64_t first) {
  const Expr beside = s.from ? s.from : s.operand; // where these lanes may be anything
  const Expr low = s.distance > 0 ? beside : s.operand, high = s.distance > 0 ? s.operand : beside;
  const std::int64_t begin = (s.distance > 0 ? kernel_.lanes : 0) - s.distance + first;
  const auto chunk = [&](std::int64_t number) {
    const std::int64_t lane = number * v.lanes;
    return piece(lane < kernel_.lanes ? low : high, v, lane % kernel_.lanes);
  };
  const std::int64_t number = begin / v.lanes, rest = begin % v.lanes;
  if (rest == 0) return chunk(number);
  return call(functions_.across(v, rest), {chunk(number).text, chunk(number + 1).text});
}

// --- truth values ---

std::int64_t Expressions::natural_bytes(const Expr& expr) const {
  if (type(expr).scalar != Scalar::boolean) return code::bytes_of(type(expr).scalar);
  if (const Binary* b = ir::as<Binary>(expr)) return natural_bytes(b->lhs);
  if (const Unary* u = ir::as<Unary>(expr)) return natural_bytes(u->operand);
  if (const Select* s = ir::as<Select>(expr)) return natural_bytes(s->then_value);
  if (const Shift* s = ir::as<Shift>(expr)) return natural_bytes(s->operand);
  if (const Convert* c = ir::as<Convert>(expr)) return natural_bytes(c->operand);
  return ir::as<Load>(expr) ? 1 : truth_bytes_;
}

// `text` compares numbers of so many bytes, and says so in each lane.
CText Expressions::compared(const std::string& text, std::int64_t bytes, Vector v) {
  const std::string to = functions_.type(v);
  if (bytes == bytes_of(v.element)) return {fmt::format("({})({})", to, text), c_unary};
  return {fmt::format("__builtin_convertvector({}, {})", text, to), c_primary};
}

CText Expressions::truths(const Expr& expr, std::int64_t bytes, std::int64_t first, std::int64_t count) {
  const Vector v{whole_element(bytes), count};
  const Binary* b = ir::as<Binary>(expr);
  const Convert* c = ir::as<Convert>(expr);
  const Load* l = ir::as<Load>(expr);
  const bool of_numbers = b && is_comparison(b->op) && type(b->lhs).scalar != Scalar::boolean;
  std::int64_t at_once = count;
  if (of_numbers || c) at_once = most_lanes(natural_bytes(of_numbers ? b->lhs : c->operand));
  if (ir::as<Variable>(expr)) at_once = held(Scalar::boolean).lanes;
  if (l) at_once = access_lanes(l->memory, l->index, l->stride);
  if (count > at_once) {
    const Vector half{v.element, count / 2};
    return call(functions_.join(half), {truths(expr, bytes, first, half.lanes).text,
                                        truths(expr, bytes, first + half.lanes, half.lanes).text});
  }
  if (of_numbers) return truths_of(*b, v, first);
  if (c && type(c->operand).scalar != Scalar::boolean)
    return compared(bracketed(lanes(c->operand, first, count), c_shift) + " != 0", natural_bytes(c->operand), v);
  if (l) {
    const CText bits = lanes_of(*l, {Element::i8, count}, first);
    return compared(bits.text + " != 0", 1, v);
  }
  return truths_of_logic(expr, v, first);
}

CText Expressions::truths_of(const Binary& b, Vector v, std::int64_t first) {
  const std::string text = fmt::format("{} {} {}", bracketed(lanes(b.lhs, first, v.lanes), c_shift), row_of(b.op).text,
                                       bracketed(lanes(b.rhs, first, v.lanes), c_shift));
  return compared(text, natural_bytes(b.lhs), v);
}

CText Expressions::truths_of_logic(const Expr& expr, Vector v, std::int64_t first) {
  const auto of = [&](const Expr& e) { return truths(e, bytes_of(v.element), first, v.lanes); };
  const auto infix = [&](const Expr& a, const char* op, const Expr& b) -> CText {
    return {fmt::format("{} {} {}", bracketed(of(a), c_unary), op, bracketed(of(b), c_unary)), c_bits};
  };
  const auto opposite = [](const CText& text) -> CText { return {"~" + bracketed(text, c_unary), c_unary}; };
  return ir::match(
      expr, //
      [&](const Variable& n) {
        const Vector h = held(Scalar::boolean);
        const CText text = held_part(n.name, Scalar::boolean, first, v.lanes);
        if (h.element == v.element) return text;
        return CText{fmt::format("__builtin_convertvector({}, {})", text.text, functions_.type(v)), c_primary};
      },
      [&](const Unary& u) { return opposite(of(u.operand)); },
      [&](const Binary& b) {
        if (b.op == BinaryOp::logical_and) return infix(b.lhs, "&", b.rhs);
        if (b.op == BinaryOp::logical_or) return infix(b.lhs, "|", b.rhs);
        const CText differ = infix(b.lhs, "^", b.rhs);
        return b.op == BinaryOp::not_equal ? differ : opposite(differ);
      },
      [&](const Select& s) {
        return call(functions_.select(v), {of(s.condition).text, of(s.then_value).text, of(s.else_value).text});
      },
      [&](const Convert& c) { return of(c.operand); },
      [&](const Spread& s) { return call(functions_.all(v), {"-" + bracketed(scalar(s.operand), c_unary)}); },
      [&](const Shift& s) { return lanes_of(s, v, first); }, //
      [](const auto&) -> CText { bug("one truth value where there are lanes"); });
}

} // namespace cyclotron::backend::simd
