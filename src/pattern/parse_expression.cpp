// SPDX-License-Identifier: MIT
// Expressions: operators by their level, then what stands by itself.
#include "pattern/literals.hpp"
#include "pattern/parser.hpp"
#include "pattern/words.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>

namespace cyclotron::pattern {

using recurrence::BinaryOp;
using recurrence::UnaryOp;

namespace {

constexpr const char* number_hint = "numbers are `3` and `0.5`; those of other types `i32(3)`, `f32(0.5)`";

} // namespace

Expr Parser::expression() {
  enter();
  Expr result = binary(level_or);
  leave();
  return result;
}

std::optional<BinaryOp> Parser::operator_at(int level) const {
  for (int i = 0; i <= static_cast<int>(BinaryOp::logical_or); ++i) {
    const auto op = static_cast<BinaryOp>(i);
    if (level_of(op) == level && at(recurrence::name_of(op))) return op;
  }
  return std::nullopt;
}

// Operators of this level, from left to right.
Expr Parser::binary(int level) {
  if (level == level_not) return negation();
  if (level == level_unary) return unary();
  Expr lhs = binary(level + 1);
  const int outside = depth_;
  while (const auto op = operator_at(level)) {
    take();
    enter(); // a chain is as deep as it is long
    Expr rhs = binary(level + 1);
    const Span span = cover(lhs->span, rhs->span);
    lhs = Expr(Binary{*op, lhs, rhs}, span);
    if (level == level_comparison && operator_at(level))
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
  if (at_number()) {
    const Expr size = number(true);
    return Expr(*ir::as<Number>(size), cover(token.span, size->span));
  }
  enter();
  Expr operand = unary();
  leave();
  return Expr(Unary{UnaryOp::negate, operand}, cover(token.span, operand->span));
}

Expr Parser::primary() {
  if (at_number()) return number(false);
  if (peek().kind == TokenKind::word) return word();
  if (accept("(")) {
    Expr inside = expression();
    expect(")", "to close the bracket");
    return inside;
  }
  fail_expected("an expression");
}

bool Parser::at_number() const { return peek().kind == TokenKind::number || at("inf") || at("nan"); }

// `3`, `0.5`, `inf`; the sign has been read.
Expr Parser::number(bool negative) {
  const Token token = take();
  if (token.kind == TokenKind::word) {
    using limits = std::numeric_limits<double>;
    const double value = token.text == "inf" ? limits::infinity() : limits::quiet_NaN();
    return Expr(Number{ValueType::f64, 0, negative ? -value : value}, token.span);
  }
  if (token.text.find_first_of(".e") != std::string_view::npos) return real_number(token, negative);
  std::uint64_t size = 0;
  const char* end = token.text.data() + token.text.size();
  const auto result = std::from_chars(token.text.data(), end, size);
  if (result.ptr != end) fail(token.span, fmt::format("`{}` is not a number", token.text), number_hint);
  const std::uint64_t most = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  if (result.ec != std::errc() || size > most)
    fail(token.span, fmt::format("`{}{}` does not fit i64", negative ? "-" : "", token.text));
  return Expr(Number{ValueType::i64, static_cast<std::int64_t>(negative ? ~size + 1 : size), 0}, token.span);
}

Expr Parser::real_number(const Token& token, bool negative) {
  const std::string text(token.text);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) fail(token.span, fmt::format("`{}` is not a number", token.text), number_hint);
  if (value == std::numeric_limits<double>::infinity())
    fail(token.span, fmt::format("`{}` does not fit f64", token.text), "write `inf` for infinity");
  return Expr(Number{ValueType::f64, 0, negative ? -value : value}, token.span);
}

Expr Parser::word() {
  const Token token = take();
  if (token.text == "true" || token.text == "false")
    return Expr(Number{ValueType::boolean, token.text == "true", 0}, token.span);
  if (!is_name(token.text)) fail(token.span, fmt::format("expected an expression, found `{}`", token.text));
  if (at("(")) return call(token);
  if (!accept("[")) return Expr(Variable{std::string(token.text)}, token.span);
  Expr index = expression();
  expect("]", "behind the index");
  return Expr(Read{std::string(token.text), index}, since(token.span));
}

std::vector<Expr> Parser::arguments() {
  std::vector<Expr> list;
  expect("(", "");
  do list.push_back(expression());
  while (accept(","));
  expect(")", "or `,` in the list of arguments");
  return list;
}

std::vector<Expr> Parser::arguments(const Token& name, std::size_t count, std::string_view form) {
  std::vector<Expr> list = arguments();
  if (list.size() != count)
    fail(since(name.span),
         fmt::format("`{}` takes {}, found {}", name.text, text_of(Arity{count, count, form}), list.size()),
         fmt::format("write `{}{}`", name.text, form));
  return list;
}

Expr Parser::call(const Token& name) {
  if (name.text == "deq") return dequeue(name);
  if (const auto type = tensor::value_type_named(name.text)) {
    const Convert convert{*type, arguments(name, 1, "(x)")[0]};
    if (const auto number = folded(convert)) return Expr(*number, since(name.span));
    return Expr(convert, since(name.span));
  }
  if (name.text == "select") {
    const auto a = arguments(name, 3, "(condition, x, y)");
    return Expr(Select{a[0], a[1], a[2]}, since(name.span));
  }
  if (const auto function = recurrence::function_named(name.text)) return function_call(name, *function);
  const std::string near = did_you_mean(name.text, {"select", "deq", "min", "max", "sqrt", "abs", "exp", "log", "pow",
                                                    "f64", "f32", "i64", "i32", "bool"});
  fail(name.span, fmt::format("`{}` is no function", name.text),
       near.empty() ? fmt::format("an element of a memory is read with `{}[…]`", name.text) : near);
}

Expr Parser::function_call(const Token& name, recurrence::Function function) {
  const Arity arity = arity_of(function);
  std::vector<Expr> list = arguments();
  if (list.size() < arity.least || list.size() > arity.most)
    fail(since(name.span), fmt::format("`{}` takes {}, found {}", name.text, text_of(arity), list.size()),
         fmt::format("write `{}{}`", name.text, arity.form));
  return Expr(Call{function, std::move(list)}, since(name.span));
}

Expr Parser::dequeue(const Token& name) {
  expect("(", "");
  std::string fifo = this->name("the name of a fifo");
  expect(")", "to close the bracket");
  return Expr(Dequeue{std::move(fifo)}, since(name.span));
}

} // namespace cyclotron::pattern
