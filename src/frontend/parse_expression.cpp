// SPDX-License-Identifier: MIT
// Expressions: one method per level of precedence, as in the grammar.
#include "frontend/foreign.hpp"
#include "frontend/parser.hpp"

#include "recurrence/kernels.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace cyclotron::frontend {

using namespace recurrence;

namespace {

// Bounds that no equation written by a person meets. They keep trees shallow enough for every recursive walk over
// them, the parser's own recursion included.
constexpr int most_operators = 5000;
constexpr int deepest_tree = 400;
constexpr int deepest_nesting = 150;

} // namespace

void Parser::count_operator(const Token& token) {
  if (++operators_ > most_operators)
    fail(token, fmt::format("this statement has more than {} operators", most_operators),
         "name parts of it with further tensors");
}

void Parser::enter(const Token& token) {
  if (++nesting_ > deepest_nesting)
    fail(token, fmt::format("this statement nests more than {} levels deep", deepest_nesting),
         "name parts of it with further tensors");
}

template <class Kind> Expr Parser::node(Kind kind, Span span) {
  Expr result(std::move(kind), span);
  int depth = 0;
  ir::each_child<ExprNode>(result, [&](const Expr& child) { depth = std::max(depth, depth_[child.get()]); });
  if (depth >= deepest_tree)
    fail(peek(), fmt::format("this expression has more than {} operators one inside the other", deepest_tree),
         "name parts of it with further tensors");
  depth_[result.get()] = depth + 1;
  nodes_.push_back(result); // so that no other node gets its address
  return result;
}

Expr Parser::expression() {
  enter(peek());
  count_operator(peek());
  Expr result = disjunction();
  --nesting_;
  return result;
}

Expr Parser::disjunction() {
  Expr lhs = conjunction();
  while (at("or")) {
    count_operator(take());
    Expr rhs = conjunction();
    const Span span = cover(lhs->span, rhs->span);
    lhs = node(Binary{BinaryOp::logical_or, lhs, rhs}, span);
  }
  return lhs;
}

Expr Parser::conjunction() {
  Expr lhs = negation();
  while (at("and")) {
    count_operator(take());
    Expr rhs = negation();
    const Span span = cover(lhs->span, rhs->span);
    lhs = node(Binary{BinaryOp::logical_and, lhs, rhs}, span);
  }
  return lhs;
}

Expr Parser::negation() {
  if (!at("not")) return comparison();
  const Token token = take();
  count_operator(token);
  enter(token);
  Expr operand = negation();
  --nesting_;
  return node(Unary{UnaryOp::logical_not, operand}, cover(token.span, operand->span));
}

std::optional<Relation> Parser::accept_relation() {
  for (Relation r : {Relation::less_equal, Relation::greater_equal, Relation::equal, Relation::not_equal,
                     Relation::less, Relation::greater})
    if (accept(name_of(r))) return r;
  return std::nullopt;
}

Expr Parser::comparison() {
  Expr lhs = sum();
  const Token token = peek();
  const auto relation = accept_relation();
  if (!relation) return lhs;
  count_operator(token);
  Expr rhs = sum();
  if (const Token next = peek(); accept_relation())
    fail(next, "comparisons do not chain in an expression", "join two of them with `and`: `a < b and b < c`");
  const auto op = static_cast<BinaryOp>(static_cast<int>(BinaryOp::less) + static_cast<int>(*relation));
  return node(Binary{op, lhs, rhs}, cover(lhs->span, rhs->span));
}

Expr Parser::sum() {
  Expr lhs = product();
  while (at("+") || at("-")) {
    const Token token = take();
    count_operator(token);
    Expr rhs = product();
    const Span span = cover(lhs->span, rhs->span);
    lhs = node(Binary{token.text == "+" ? BinaryOp::add : BinaryOp::sub, lhs, rhs}, span);
  }
  return lhs;
}

Expr Parser::product() {
  Expr lhs = unary();
  while (at("*") || at("/")) {
    const Token token = take();
    count_operator(token);
    Expr rhs = unary();
    const Span span = cover(lhs->span, rhs->span);
    lhs = node(Binary{token.text == "*" ? BinaryOp::mul : BinaryOp::div, lhs, rhs}, span);
  }
  if (at("^")) fail(peek(), "only a tensor's name takes a superscript", "for a power write `pow(x, 2)`");
  return lhs;
}

Expr Parser::unary() {
  if (!at("-") && !at("+")) return primary();
  const Token token = take();
  count_operator(token);
  enter(token);
  Expr operand = unary();
  --nesting_;
  if (token.text == "+") return operand;
  return node(Unary{UnaryOp::negate, operand}, cover(token.span, operand->span));
}

Expr Parser::primary() {
  if (peek().kind == TokenKind::number) return number();
  if (peek().kind == TokenKind::name) return named();
  if (at("(")) {
    const Token open = take();
    Expr inside = expression();
    expect_close(open, ")", "to close the bracket");
    return inside;
  }
  std::string hint;
  if (at(":")) hint = "an element is read by all its indices, `A(i,j)`; a whole row is added up by `sum[j](A(i,j))`";
  if (at("{")) hint = "round brackets group: `(x(i) + 1) / 2`";
  if (at("[")) hint = "numbers are written out in a default only: `default w = [1, 2, 3]`";
  if (peek().kind == TokenKind::text) hint = "texts stand in defaults only, where they name files";
  fail_expected("an expression", std::move(hint));
}

Expr Parser::number() {
  const Token token = take();
  Number result;
  const char* begin = token.text.data();
  const char* end = begin + token.text.size();
  // from_chars leaves the value alone where it is too large or too small; strtod says which.
  if (std::from_chars(begin, end, result.value).ec == std::errc::result_out_of_range)
    result.value = std::strtod(std::string(token.text).c_str(), nullptr);
  if (token.text.find_first_of(".eE") == std::string_view::npos) {
    std::int64_t whole = 0;
    if (std::from_chars(begin, end, whole).ec != std::errc())
      fail(token, fmt::format("`{}` does not fit 64 bits", token.text),
           "whole numbers end at 9223372036854775807; one with a `.` is a floating-point number");
    result.integer = whole;
    result.value = static_cast<double>(whole);
  } else if (result.value == std::numeric_limits<double>::infinity()) {
    fail(token, fmt::format("`{}` is too large for a floating-point number", token.text), "write `inf` for infinity");
  }
  return node(result, token.span);
}

Expr Parser::named() {
  const Token name = take();
  if (name.text == "inf") return node(Number{std::numeric_limits<double>::infinity(), {}}, name.span);
  if (name.text == "true" || name.text == "false") return node(Boolean{name.text == "true"}, name.span);
  if (reducer_named(name.text) && at("[")) return reduction(name);
  const bool callable = function_named(name.text) || name.text == "select" || kernel_named(name.text);
  if (callable && at("(")) return call(name);
  if (reducer_named(name.text) && at("("))
    fail(name, fmt::format("`{}` needs its variables in square brackets", name.text),
         fmt::format("write `{}[k](…)`", name.text));
  if (at("[")) square_brackets(name);
  if (name.text == "if" && !at("("))
    fail(name, "`if` is no word of this language", std::string(hint_for_foreign_function("if")));
  if (at("(") && peek(1).kind == TokenKind::text && !hint_for_foreign_function(name.text).empty())
    fail(name, fmt::format("`{}` is no function of this language", name.text),
         std::string(hint_for_foreign_function(name.text)));
  return access(name);
}

// `A[i,j]`, `A[i][j]`, or a reduction that there is not: `argmax[i](…)`.
void Parser::square_brackets(const Token& name, std::string_view what) {
  const Token open = peek();
  std::string inside;
  std::size_t t = 0;
  for (; peek(t).text == "["; ++t) {
    if (!inside.empty()) inside += ",";
    for (++t; peek(t).text != "]" && peek(t).text != "[" && peek(t).kind != TokenKind::line_end; ++t)
      inside += peek(t).text;
    if (peek(t).text != "]") break;
  }
  if (peek(t).text == "(") {
    std::string hint(hint_for_foreign_reduction(name.text));
    if (hint.empty()) hint = did_you_mean(name.text, {"sum", "prod", "min", "max", "any", "all"});
    if (hint.empty()) hint = "the reductions are sum, prod, min, max, any and all; elements are written `x(i)`";
    fail(name, fmt::format("`{}` is no reduction", name.text), std::move(hint));
  }
  constexpr std::size_t longest_shown = 24;
  if (inside.empty() || inside.size() > longest_shown) inside = "…";
  fail(open, fmt::format("{} are written with round brackets", what), fmt::format("write `{}({})`", name.text, inside));
}

Expr Parser::call(const Token& name) {
  std::vector<Expr> args = arguments(name.text);
  const Span span = since(name.span);
  const auto want = [&](std::size_t least, std::size_t most, std::string_view form) {
    if (args.size() < least || args.size() > most)
      fail({name.kind, name.text, span},
           fmt::format("`{}` takes {} argument{}, found {}", name.text,
                       least == most ? std::to_string(least) : fmt::format("{} or more", least), most == 1 ? "" : "s",
                       args.size()),
           fmt::format("write `{}`", form));
  };
  if (name.text == "select") {
    want(3, 3, "select(condition, x, y)");
    return node(Select{args[0], args[1], args[2]}, span);
  }
  if (const Kernel* kernel = kernel_named(name.text)) {
    if (args.size() != kernel->arguments.size())
      fail({name.kind, name.text, span},
           fmt::format("`{}` takes {} tiles, found {}", name.text, kernel->arguments.size(), args.size()),
           fmt::format("`{}` computes {}", name.text, kernel->meaning));
    return node(KernelCall{std::string(name.text), std::move(args)}, span);
  }
  const Function f = *function_named(name.text);
  if (f == Function::min || f == Function::max) {
    // A single argument is most often a reduction with its brackets forgotten.
    want(2, 1000, fmt::format("{0}(x, y)`, or `{0}[k](x)` for a reduction over `k", name.text));
  } else if (f == Function::pow) {
    want(2, 2, "pow(x, y)");
  } else {
    want(1, 1, fmt::format("{}(x)", name.text));
  }
  return node(Call{f, std::move(args)}, span);
}

Expr Parser::reduction(const Token& name) {
  expect("[", "after the reduction");
  std::vector<Binder> variables;
  do variables.push_back(binder("the name of a reduction variable"));
  while (accept(","));
  const std::string restricted =
      "what restricts the variables stands behind the equation: `y(i) = sum[j](A(i,j)) : j < i`";
  if (!accept("]")) fail_expected("`]` after the reduction variables", restricted);
  if (!at("("))
    fail_expected("`(` before what is reduced", fmt::format("write `{}[{}](…)`", name.text, variables[0].name));
  const Token open = take();
  Expr body = expression();
  expect_close(open, ")", "to close the reduction", at(":") ? restricted : "");
  return node(Reduce{*reducer_named(name.text), std::move(variables), body}, since(name.span));
}

// After `^`: a name, a whole number, or any index expression in brackets.
Expr Parser::step() {
  if (accept("(")) {
    Expr inside = expression();
    expect(")", "to close the superscript");
    return inside;
  }
  if (at("-")) {
    const Token sign = take();
    enter(sign);
    Expr operand = step();
    --nesting_;
    return node(Unary{UnaryOp::negate, operand}, cover(sign.span, operand->span));
  }
  if (peek().kind == TokenKind::number) return number();
  const Token name = expect_name("a superscript: a name, a number, or an index expression in brackets");
  return node(Name{std::string(name.text)}, name.span);
}

Expr Parser::access(const Token& name) {
  Access result{std::string(name.text), {}, {}};
  if (accept("^")) result.step = step();
  if (at("(")) result.indices = arguments(name.text);
  if (!result.step && result.indices.empty()) return node(Name{std::string(name.text)}, name.span);
  return node(std::move(result), since(name.span));
}

std::vector<Expr> Parser::arguments(std::string_view of) {
  std::vector<Expr> list;
  const Token open = expect("(", fmt::format("after `{}`", of));
  if (accept(")")) return list;
  do list.push_back(expression());
  while (accept(","));
  std::string hint;
  if (at("%") && !function_named(of))
    hint =
        "an index has no remainder; where it wraps around, write an equation for each part: `y(i) = x(i+1) : i < n-1` "
        "and `y(n-1) = x(0)`; for `x(i % 4)` write `y(4*q+r) = x(r) : r < 4`";
  expect_close(open, ")", fmt::format("or `,` in the list of `{}`", of), std::move(hint));
  return list;
}

Constraint Parser::constraint() {
  Constraint result;
  const Span begin = peek().span;
  count_operator(peek());
  result.operands.push_back(sum());
  while (const auto relation = accept_relation()) {
    count_operator(peek());
    result.relations.push_back(*relation);
    result.operands.push_back(sum());
  }
  if (at("=")) fail(peek(), "a constraint compares with `==`", "write `==` instead of `=`");
  if (at("and")) fail(peek(), "constraints are separated by commas", "write `,` instead of `and`");
  if (at("or"))
    fail(peek(), "all constraints of an equation hold at once", "write an equation for each case that `or` joins");
  if (result.relations.empty())
    fail_expected("a comparison such as `k < j` in the constraint",
                  at("..") ? "write a range as comparisons: `0 <= i < n`" : "");
  result.span = since(begin);
  return result;
}

std::vector<Constraint> Parser::constraints() {
  std::vector<Constraint> list;
  do list.push_back(constraint());
  while (accept(","));
  return list;
}

} // namespace cyclotron::frontend
