// SPDX-License-Identifier: MIT
// Expressions: operators by their level, then what stands by itself.
#include "code/operators.hpp"
#include "code/parser.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace cyclotron::code {

Expr Parser::expression() {
  enter();
  Expr result = binary(level_or);
  leave();
  return result;
}

// Operators of this level, from left to right.
Expr Parser::binary(int level) {
  if (level == level_not) return negation();
  if (level == level_unary) return unary();
  Expr lhs = binary(level + 1);
  const int outside = depth_;
  for (;;) {
    const Token token = peek();
    // `a > b` is `b < a`.
    const bool turned = level == level_comparison && (at(">") || at(">="));
    const std::string_view text = !turned ? token.text : token.text == ">" ? "<" : "<=";
    const auto row = std::find_if(binary_rows.begin(), binary_rows.end(),
                                  [&](const BinaryRow& r) { return r.level == level && r.text == text; });
    if (row == binary_rows.end() || token.kind == TokenKind::number) break;
    take();
    enter(); // a chain is as deep as it is long
    Expr rhs = binary(level + 1);
    const Span span = cover(lhs->span, rhs->span);
    if (turned) std::swap(lhs, rhs);
    lhs = Expr(Binary{row->op, lhs, rhs}, span);
    if (level == level_comparison && (at("<") || at("<=") || at("==") || at("!=") || at(">") || at(">=")))
      fail(peek().span, "comparisons do not chain", "join two of them with `and`: `a < b and b < c`");
  }
  depth_ = outside;
  return lhs;
}

Expr Parser::negation() {
  if (!at("not")) return binary(level_comparison);
  const Token token = take();
  enter();
  Expr operand = negation();
  leave();
  return Expr(Unary{UnaryOp::logical_not, operand}, cover(token.span, operand->span));
}

Expr Parser::unary() {
  if (!at("-")) return primary();
  const Token token = take();
  if (peek().kind == TokenKind::number || at("inf") || at("inff") || at("nan") || at("nanf")) return number(true);
  enter();
  Expr operand = unary();
  leave();
  return Expr(Unary{UnaryOp::negate, operand}, cover(token.span, operand->span));
}

Expr Parser::primary() {
  if (peek().kind == TokenKind::number) return number(false);
  if (peek().kind == TokenKind::word) return word();
  if (accept("(")) {
    Expr inside = expression();
    expect(")", "to close the bracket");
    return inside;
  }
  fail_expected("an expression");
}

// `3`, `3i16`, `0.5f`, `inf`; the sign has been read.
Expr Parser::number(bool negative) {
  const Token token = take();
  if (token.kind == TokenKind::word) {
    const double value = token.text.starts_with("inf") ? std::numeric_limits<double>::infinity()
                                                       : std::numeric_limits<double>::quiet_NaN();
    return Expr(Number{token.text.ends_with("f") && token.text.size() == 4 ? Scalar::f32 : Scalar::f64, 0,
                       negative ? -value : value},
                token.span);
  }
  std::string_view digits = token.text;
  Scalar scalar = Scalar::i64;
  for (const Scalar s : {Scalar::i16, Scalar::i32})
    if (digits.ends_with(name_of(s))) {
      scalar = s;
      digits.remove_suffix(name_of(s).size());
    }
  const bool narrow = digits.ends_with("f");
  if (narrow) digits.remove_suffix(1);
  if (narrow || (scalar == Scalar::i64 && digits.find_first_of(".e") != std::string_view::npos))
    return real_number(token, digits, narrow, negative);
  std::uint64_t size = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (result.ptr != digits.data() + digits.size())
    fail(token.span, fmt::format("`{}` is not a number", token.text), "numbers are `3`, `3i32`, `3i16`, `0.5`, `0.5f`");
  const std::uint64_t most = (std::uint64_t{1} << (8 * bytes_of(scalar) - 1)) - 1 + (negative ? 1 : 0);
  if (result.ec != std::errc() || size > most)
    fail(token.span, fmt::format("`{}{}` does not fit {}", negative ? "-" : "", token.text, name_of(scalar)));
  return Expr(Number{scalar, static_cast<std::int64_t>(negative ? ~size + 1 : size), 0}, token.span);
}

Expr Parser::real_number(const Token& token, std::string_view digits, bool narrow, bool negative) {
  const std::string text(digits);
  char* end = nullptr;
  const double value = narrow ? static_cast<double>(std::strtof(text.c_str(), &end)) : std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size())
    fail(token.span, fmt::format("`{}` is not a number", token.text), "numbers are `3`, `3i32`, `3i16`, `0.5`, `0.5f`");
  if (value == std::numeric_limits<double>::infinity())
    fail(token.span, fmt::format("`{}` does not fit {}", token.text, narrow ? "f32" : "f64"),
         narrow ? "write `inff` for infinity" : "write `inf` for infinity");
  return Expr(Number{narrow ? Scalar::f32 : Scalar::f64, 0, negative ? -value : value}, token.span);
}

Expr Parser::word() {
  if (at("inf") || at("inff") || at("nan") || at("nanf")) return number(false);
  const Token token = take();
  if (token.text == "true" || token.text == "false")
    return Expr(Number{Scalar::boolean, token.text == "true", 0}, token.span);
  if (token.text == "lane") return Expr(Lane{}, token.span);
  if (at("(")) return call(token);
  if (!is_name(token.text))
    fail(token.span, fmt::format("expected an expression, found `{}`", token.text),
         "it is a word of this text form, and a function only with brackets behind it");
  if (at("[")) return load(token);
  return Expr(Variable{std::string(token.text)}, token.span);
}

std::vector<Expr> Parser::arguments(const Token& name, std::size_t count, std::string_view form) {
  std::vector<Expr> list;
  expect("(", "");
  do list.push_back(expression());
  while (accept(","));
  expect(")", "or `,` in the list of arguments");
  if (list.size() != count)
    fail(since(name.span),
         fmt::format("`{}` takes {} argument{}, found {}", name.text, count, count == 1 ? "" : "s", list.size()),
         fmt::format("write `{}{}`", name.text, form));
  return list;
}

Expr Parser::call(const Token& name) {
  if (name.text == "shift") return shift(name);
  const auto one = [&] { return arguments(name, 1, "(e)")[0]; };
  if (const auto scalar = scalar_named(name.text)) {
    const Expr operand = one();
    return Expr(Convert{*scalar, operand}, since(name.span));
  }
  if (name.text == "lanes" || name.text == "any") {
    const Expr operand = one();
    return name.text == "any" ? Expr(AnyLane{operand}, since(name.span)) : Expr(Spread{operand}, since(name.span));
  }
  if (name.text == "select") {
    const auto a = arguments(name, 3, "(condition, a, b)");
    return Expr(Select{a[0], a[1], a[2]}, since(name.span));
  }
  if (name.text == "extract") {
    const auto a = arguments(name, 2, "(v, lane)");
    return Expr(Extract{a[0], a[1]}, since(name.span));
  }
  for (const UnaryRow& row : unary_rows)
    if (row.text == name.text) {
      const Expr operand = one();
      return Expr(Unary{row.op, operand}, since(name.span));
    }
  for (const BinaryRow& row : binary_rows)
    if (row.text == name.text && row.level == level_primary) {
      const auto a = arguments(name, 2, "(a, b)");
      return Expr(Binary{row.op, a[0], a[1]}, since(name.span));
    }
  std::vector<std::string> known{"select", "shift", "extract", "any", "lanes", "abs",
                                 "sqrt",   "exp",   "log",     "min", "max",   "pow"};
  fail(name.span, fmt::format("`{}` is no function", name.text),
       at("(") && is_name(name.text) && did_you_mean(std::string(name.text), known).empty()
           ? fmt::format("an element of a memory is read with `{}[…]`", name.text)
           : did_you_mean(std::string(name.text), known));
}

Expr Parser::shift(const Token& name) {
  Shift result;
  expect("(", "");
  result.operand = expression();
  expect(",", "before how far to shift");
  result.distance = integer("how far to shift, a whole number");
  if (accept(",")) result.from = expression();
  expect(")", "to close the bracket");
  return Expr(std::move(result), since(name.span));
}

Expr Parser::load(const Token& name) {
  Load result{std::string(name.text), {}, {}, {}};
  expect("[", "");
  result.index = expression();
  if (accept(":")) result.stride = expression();
  if (accept("if")) result.mask = expression();
  expect("]", "behind the index");
  return Expr(std::move(result), since(name.span));
}

} // namespace cyclotron::code
