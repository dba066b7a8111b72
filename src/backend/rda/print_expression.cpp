// SPDX-License-Identifier: MIT
#include "backend/rda/printer.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace cyclotron::backend::rda {

using namespace pattern;
using recurrence::BinaryOp;

namespace {

bool is_int(std::int64_t n) {
  return n >= std::numeric_limits<std::int32_t>::min() && n <= std::numeric_limits<std::int32_t>::max();
}

// A literal of Scala, an Int where it is one.
std::string whole_text(std::int64_t n) { return std::to_string(n) + (is_int(n) ? "" : "L"); }

std::string real_text(const Number& n) {
  const bool narrow = n.type == ValueType::f32;
  const std::string scala(narrow ? "Float" : "Double");
  if (std::isnan(n.real)) return scala + ".NaN";
  if (std::isinf(n.real)) return scala + (n.real < 0 ? ".NegativeInfinity" : ".PositiveInfinity");
  std::string digits = narrow ? fmt::format("{}", static_cast<float>(n.real)) : fmt::format("{}", n.real);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + (narrow ? "f" : "");
}

std::string in_brackets(const std::string& text, bool brackets) { return brackets ? "(" + text + ")" : text; }

struct Operator {
  const char* text;
  int level;
};

Operator operator_of(BinaryOp op) {
  switch (op) {
  case BinaryOp::add: return {"+", scala_sum};
  case BinaryOp::sub: return {"-", scala_sum};
  case BinaryOp::mul: return {"*", scala_product};
  case BinaryOp::div: return {"/", scala_product};
  case BinaryOp::less: return {"<", scala_comparison};
  case BinaryOp::less_equal: return {"<=", scala_comparison};
  case BinaryOp::greater: return {">", scala_comparison};
  case BinaryOp::greater_equal: return {">=", scala_comparison};
  case BinaryOp::equal: return {"==", scala_equality};
  case BinaryOp::not_equal: return {"!=", scala_equality};
  case BinaryOp::logical_and: return {"&&", scala_and};
  case BinaryOp::logical_or: return {"||", scala_or};
  }
  bug("unknown operator");
}

} // namespace

std::string ExpressionPrinter::type(ValueType type) const {
  if (type == named_) return "T";
  switch (type) {
  case ValueType::f64: return "Double";
  case ValueType::f32: return "Float";
  case ValueType::i64: return "I64";
  case ValueType::i32: return "I32";
  case ValueType::boolean: return "Bit";
  }
  bug("unknown type");
}

std::string ExpressionPrinter::print(const Expr& expr, Place place, int level) const {
  const Text inside = text(expr, place);
  return in_brackets(inside.text, inside.level < level);
}

ExpressionPrinter::Text ExpressionPrinter::text(const Expr& expr, Place place) const {
  return ir::match(
      expr, //
      [&](const Number& n) { return number(n, place); }, [&](const Variable& v) { return variable(v, place); },
      [&](const Read& r) -> Text { return {fmt::format("{}({})", scope_.of(r.memory).text, passed(r.index))}; },
      [&](const Dequeue& d) -> Text { return {scope_.of(d.fifo).text + ".deq"}; },
      [&](const Unary& u) { return unary(u); },   //
      [&](const Binary& b) { return binary(b); }, //
      [&](const Call& c) { return call(c); },
      [&](const Select& s) -> Text {
        return {fmt::format("mux({}, {}, {})", print(s.condition), print(s.then_value), print(s.else_value))};
      },
      [&](const Convert& c) { return convert(c); });
}

// A negative one stands in brackets beside an operator.
ExpressionPrinter::Text ExpressionPrinter::number(const Number& n, Place place) const {
  if (n.type == ValueType::boolean) return {n.whole ? "true" : "false"};
  const std::string text = tensor::is_float(n.type) ? real_text(n) : whole_text(n.whole);
  const bool negative = text[0] == '-';
  const bool typed = !tensor::is_float(n.type) && (place == Place::alone || place == Place::left ||
                                                   (place == Place::right_of_equality && !is_int(n.whole)));
  if (typed) return {fmt::format("{}.to[{}]", in_brackets(text, negative), type(n.type))};
  return {text, negative ? scala_anything : scala_primary};
}

ExpressionPrinter::Text ExpressionPrinter::variable(const Variable& v, Place place) const {
  const Meaning& meaning = scope_.of(v.name);
  const bool named = place == Place::alone || place == Place::right_of_equality;
  switch (meaning.kind) {
  case Kind::size: return {meaning.text + (named ? ".value" : "")};
  case Kind::reg: return {meaning.text + (place == Place::passed ? "" : ".value")};
  default: return {meaning.text};
  }
}

ExpressionPrinter::Text ExpressionPrinter::unary(const Unary& u) const {
  const char* op = u.op == recurrence::UnaryOp::negate ? "-" : "!";
  return {op + print(u.operand, Place::alone, scala_primary), scala_unary};
}

// Operators associate to the left, except that comparisons of comparisons get brackets.
ExpressionPrinter::Text ExpressionPrinter::binary(const Binary& b) const {
  const auto [text, level] = operator_of(b.op);
  const bool compares = level == scala_equality || level == scala_comparison;
  const Place left = level == scala_equality ? Place::alone : Place::left;
  const Place right = level == scala_equality ? Place::right_of_equality : Place::right;
  return {fmt::format("{} {} {}", print(b.lhs, left, compares ? scala_sum : level), text,
                      print(b.rhs, right, compares ? scala_sum : level + 1)),
          level};
}

// Functions of several operands take two at a time.
ExpressionPrinter::Text ExpressionPrinter::call(const Call& c) const {
  const std::string name(recurrence::name_of(c.function));
  std::string text = print(c.arguments.at(0));
  if (c.arguments.size() == 1) return {fmt::format("{}({})", name, text)};
  for (std::size_t i = 1; i < c.arguments.size(); ++i)
    text = fmt::format("{}({}, {})", name, text, print(c.arguments[i]));
  return {text};
}

ExpressionPrinter::Text ExpressionPrinter::convert(const Convert& c) const {
  const Number* n = ir::as<Number>(c.operand);
  std::string operand = n ? number(*n, Place::passed).text : print(c.operand, Place::alone, scala_primary);
  if (n) operand = in_brackets(operand, operand[0] == '-');
  return {fmt::format("{}.to[{}]", operand, type(c.to))};
}

std::string ExpressionPrinter::initial(const Expr& expr) const {
  const Number* n = ir::as<Number>(expr);
  if (!n || !tensor::is_float(n->type)) return print(expr);
  const bool plain = n->real == std::floor(n->real) && std::fabs(n->real) < 1e6 && !std::signbit(n->real);
  return plain ? fmt::format("{:.0f}.to[{}]", n->real, type(n->type)) : print(expr);
}

// Without blanks where both ends are short. (`a_::b` would be a name `a_::`.)
std::string ExpressionPrinter::slice(const Expr& first, const Expr& end) const {
  const std::string a = print(first, Place::passed, scala_sum), b = print(end, Place::passed, scala_sum);
  const bool tight = (a + b).find(' ') == std::string::npos && !a.ends_with('_');
  return fmt::format("{}{}{}", a, tight ? "::" : " :: ", b);
}

std::string ExpressionPrinter::counter(const Expr& first, const Expr& end) const {
  const Number* n = ir::as<Number>(first);
  const std::string b = print(end, Place::passed, scala_or);
  if (n && n->whole == 0) return b + " by 1";
  return fmt::format("{} until {} by 1", print(first, Place::passed, scala_or), b);
}

std::string ExpressionPrinter::par(const Expr& expr) const { return expr ? passed(expr) : "1"; }

} // namespace cyclotron::backend::rda
