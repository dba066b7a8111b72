// SPDX-License-Identifier: MIT
// Expressions that are one number, and what both kinds share.
#include "backend/simd/expressions.hpp"

#include "code/operators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::backend::simd {

using namespace code;

namespace {

std::string real_text(double value, bool narrow) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  std::string digits = narrow ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + (narrow ? "f" : "");
}

std::string number_text(const Number& n) {
  if (n.scalar == Scalar::boolean) return n.whole ? "true" : "false";
  if (is_float(n.scalar)) return real_text(n.real, n.scalar == Scalar::f32);
  if (n.whole == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  if (n.whole == std::numeric_limits<std::int32_t>::min())
    return n.scalar == Scalar::i32 ? "INT32_MIN" : "(int64_t)INT32_MIN"; // C has no negative literals
  return fmt::format("{}", n.whole);
}

// The bytes of the numbers that most accesses with lanes are about: there truth values are used most.
std::int64_t most_used_bytes(const code::Kernel& kernel, const Scope& scope) {
  std::int64_t uses[9] = {};
  const auto note = [&](const std::string& memory) { ++uses[bytes_of(scope.memory(memory)->scalar)]; };
  any_statement(kernel.body, [&](const Statement& s) {
    if (const Store* store = std::get_if<Store>(&s.kind)) note(store->memory);
    each_expression(s, [&](const Expr& whole) {
      ir::walk<ExprNode>(whole, [&](const Expr& e) {
        if (const Load* load = ir::as<Load>(e)) note(load->memory);
      });
    });
    return false;
  });
  std::int64_t best = 4;
  for (const std::int64_t bytes : {8, 2})
    if (uses[bytes] > uses[best]) best = bytes;
  return best;
}

int level_of(BinaryOp op) {
  switch (op) {
  case BinaryOp::add:
  case BinaryOp::sub: return c_sum;
  case BinaryOp::mul:
  case BinaryOp::div: return c_product;
  case BinaryOp::logical_and: return c_and;
  case BinaryOp::logical_or: return c_or;
  case BinaryOp::bit_and:
  case BinaryOp::bit_or:
  case BinaryOp::bit_xor: return c_bits;
  default: return c_comparison;
  }
}

std::string_view c_operator(BinaryOp op) {
  return op == BinaryOp::logical_and ? "&&" : op == BinaryOp::logical_or ? "||" : row_of(op).text;
}

bool is_function(BinaryOp op, Scalar scalar) {
  return op == BinaryOp::min || op == BinaryOp::max || op == BinaryOp::pow || op == BinaryOp::floor_div ||
         op == BinaryOp::mod || (op == BinaryOp::div && is_whole(scalar));
}

} // namespace

std::string bracketed(const CText& text, int level) { return text.level < level ? "(" + text.text + ")" : text.text; }

Expressions::Expressions(const code::Kernel& kernel, std::int64_t register_bytes, const Scope& scope,
                         const CNames& names, LaneFunctions& functions)
    : kernel_(kernel), register_bytes_(register_bytes), scope_(scope), names_(names), functions_(functions),
      truth_bytes_(most_used_bytes(kernel, scope)) {}

std::int64_t Expressions::most_lanes(std::int64_t bytes) const {
  return std::min(kernel_.lanes, register_bytes_ / bytes);
}

Vector Expressions::held(Scalar scalar) const {
  const Element element = scalar == Scalar::boolean ? whole_element(truth_bytes_) : element_of(scalar);
  return {element, most_lanes(bytes_of(element))};
}

std::string Expressions::part_name(const std::string& variable, Scalar scalar, std::int64_t part) const {
  return parts(scalar) == 1 ? names_.of(variable) : names_.of(fmt::format("{} {}", variable, part));
}

CText Expressions::call(const std::string& function, const std::vector<std::string>& arguments) const {
  return {fmt::format("{}({})", function, fmt::join(arguments, ", ")), c_primary};
}

CText Expressions::scalar(const Expr& expr) {
  return ir::match(
      expr, //
      [&](const Number& n) { return scalar_of(n); },
      [&](const Variable& v) -> CText {
        return {names_.of(v.name), c_primary};
      },
      [&](const Load& l) { return scalar_of(l); },    //
      [&](const Unary& u) { return scalar_of(u); },   //
      [&](const Binary& b) { return scalar_of(b); },  //
      [&](const Select& s) { return scalar_of(s); },  //
      [&](const Convert& c) { return scalar_of(c); }, //
      [&](const Extract& e) { return scalar_of(e); }, //
      [&](const AnyLane& a) { return scalar_of(a); }, //
      [](const auto&) -> CText { bug("lanes where there is one number"); });
}

CText Expressions::scalar_of(const Number& n) {
  const std::string text = number_text(n);
  return {text, text[0] == '-' || text[0] == '(' ? c_unary : c_primary};
}

CText Expressions::scalar_of(const Load& l) {
  const std::string element = fmt::format("{}[{}]", names_.of(l.memory), whole(l.index));
  const bool truth = scope_.memory(l.memory)->scalar == Scalar::boolean;
  if (l.mask)
    return {fmt::format("{} ? {} : 0", bracketed(scalar(l.mask), c_or), element + (truth ? " != 0" : "")), c_choice};
  return truth ? CText{element + " != 0", c_comparison} : CText{element, c_primary};
}

CText Expressions::scalar_of(const Unary& u) {
  const Scalar scalar_type = type(u.operand).scalar;
  const CText operand = scalar(u.operand);
  if (u.op == UnaryOp::logical_not) return {"!" + bracketed(operand, c_unary), c_unary};
  if (u.op != UnaryOp::negate) return call(functions_.scalar_unary(scalar_type, u.op), {operand.text});
  // Two signs must not become `--`.
  const std::string negated = "-" + bracketed(operand, operand.text[0] == '-' ? c_primary : c_unary);
  return {scalar_type == Scalar::i16 ? "(int16_t)" + negated : negated, c_unary};
}

CText Expressions::scalar_of(const Binary& b) {
  const Scalar scalar_type = type(b.lhs).scalar;
  CText lhs = scalar(b.lhs), rhs = scalar(b.rhs);
  if (is_function(b.op, scalar_type)) return call(functions_.scalar_binary(scalar_type, b.op), {lhs.text, rhs.text});
  // A short number is an int in C, and two of them would make one.
  if (scalar_type == Scalar::i64 && ir::as<Number>(b.lhs) && ir::as<Number>(b.rhs))
    lhs = {"(int64_t)" + bracketed(lhs, c_unary), c_unary};
  const int level = level_of(b.op);
  const bool mixes = level == c_and || level == c_or; // operators beside which compilers want brackets
  const int inside = level == c_bits ? c_unary : mixes ? c_comparison : level + 1;
  const int left = (mixes && lhs.level == level) || level == c_sum || level == c_product ? level : inside;
  const std::string text = fmt::format("{} {} {}", bracketed(lhs, left), c_operator(b.op), bracketed(rhs, inside));
  if (scalar_type == Scalar::i16 && (level == c_sum || level == c_product)) return {"(int16_t)(" + text + ")", c_unary};
  return {text, level};
}

CText Expressions::scalar_of(const Select& s) {
  const bool numbers = ir::as<Number>(s.then_value) && ir::as<Number>(s.else_value);
  const Scalar scalar_type = type(s.then_value).scalar;
  return {fmt::format("{} ? {}{} : {}", bracketed(scalar(s.condition), c_or),
                      numbers ? fmt::format("({})", c_type(scalar_type)) : "",
                      bracketed(scalar(s.then_value), numbers ? c_unary : c_or), bracketed(scalar(s.else_value), c_or)),
          c_choice};
}

CText Expressions::scalar_of(const Convert& c) {
  const CText operand = scalar(c.operand);
  if (c.to == Scalar::boolean) return {bracketed(operand, c_shift) + " != 0", c_comparison};
  return {fmt::format("({}){}", c_type(c.to), bracketed(operand, c_unary)), c_unary};
}

CText Expressions::scalar_of(const Extract& e) {
  const Scalar scalar_type = type(e.operand).scalar;
  const Vector v = held(scalar_type);
  const std::string function = functions_.at(v);
  const bool truth = scalar_type == Scalar::boolean;
  const auto finished = [&](CText text) {
    return truth ? CText{bracketed(text, c_shift) + " != 0", c_comparison} : text;
  };
  if (const Number* n = ir::as<Number>(e.lane)) {
    const std::int64_t lane = std::clamp<std::int64_t>(n->whole, 0, kernel_.lanes - 1); // there are no others
    const std::int64_t first = lane / v.lanes * v.lanes;
    return finished(call(function, {piece(e.operand, v, first).text, std::to_string(lane - first)}));
  }
  const CText lane = scalar(e.lane);
  std::string text;
  for (std::int64_t first = 0; first < kernel_.lanes; first += v.lanes) {
    const std::string place = first == 0 ? lane.text : fmt::format("{} - {}", bracketed(lane, c_sum), first);
    const std::string one = call(function, {piece(e.operand, v, first).text, place}).text;
    const bool last = first + v.lanes == kernel_.lanes;
    text += last ? one : fmt::format("{} < {} ? {} : ", bracketed(lane, c_shift), first + v.lanes, one);
  }
  return finished({text, parts(scalar_type) == 1 ? c_primary : c_choice});
}

CText Expressions::scalar_of(const AnyLane& a) {
  const std::int64_t bytes = natural_bytes(a.operand);
  const Vector v{whole_element(bytes), most_lanes(bytes)};
  std::vector<std::string> each;
  for (std::int64_t first = 0; first < kernel_.lanes; first += v.lanes)
    each.push_back(call(functions_.any(v), {piece(a.operand, v, first).text}).text);
  return {fmt::format("{}", fmt::join(each, " || ")), each.size() == 1 ? c_primary : c_or};
}

std::int64_t Expressions::access_lanes(const std::string& memory, const Expr& index, const Expr& stride) const {
  const std::int64_t own = most_lanes(bytes_of(scope_.memory(memory)->scalar));
  return stride ? own : std::min(own, most_lanes(code::bytes_of(type(index).scalar)));
}

Expressions::Address Expressions::address(const std::string& memory, const Expr& index, const Expr& stride,
                                          std::int64_t first, std::int64_t count) {
  const std::string& name = names_.of(memory);
  if (!stride) {
    const Element element = element_of(type(index).scalar);
    return {
        element == Element::i32 ? Way::index32 : Way::index64, name, lanes(index, first, count).text, {element, count}};
  }
  const Number* n = ir::as<Number>(stride);
  const bool near = n && n->whole == 1, same = n && n->whole == 0;
  const std::string step = whole(stride);
  std::string offset;
  if (first > 0 && near) offset = fmt::format(" + {}", first);
  else if (first > 0 && !same) offset = fmt::format(" + {} * {}", first, bracketed(scalar(stride), c_unary));
  const std::string element =
      fmt::format("&{}[{}{}]", name, offset.empty() ? whole(index) : bracketed(scalar(index), c_sum), offset);
  if (near || same) return {near ? Way::next_to_each_other : Way::same, element, "", {}};
  return {Way::stride, element + ", " + step, "", {}};
}

} // namespace cyclotron::backend::simd
