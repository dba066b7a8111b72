// SPDX-License-Identifier: MIT
#include "dataflow/text_parser.hpp"

#include <fmt/format.h>

namespace cyclotron::dataflow {

using namespace recurrence;
using frontend::Token;
using frontend::TokenKind;

TextProgram TextParser::run() {
  each_line([this] { line(); });
  return std::move(program_);
}

void TextParser::line() {
  if (at_word("axes")) return axes();
  if (at_word("passes")) return passes();
  if (at_word("timing")) return timing();
  if (at_word("step")) return step_line();
  if (at_word("space")) return space();
  if (at_word("value")) return value();
  if (at_word("place") || at_word("time")) {
    const Token word = take();
    TextSpace& own = in_space();
    auto& to = word.text == "place" ? own.place : own.time;
    if (to) fail(word, fmt::format("space `{}` has its `{}` twice", own.name.name, word.text));
    to = arguments(word.text);
    (word.text == "place" ? own.place_span : own.time_span) = since(word.span);
    return end_statement(fmt::format("`{}`", word.text));
  }
  if (at_word("constants")) {
    take();
    in_constants_ = true;
    return end_statement("`constants`");
  }
  if (peek().kind != TokenKind::name)
    fail_expected("a line of the program",
                  "a line is `axes …`, `passes …`, `timing …`, `space …`, `place …`, `time …`, "
                  "`step …`, `value …`, "
                  "a rule `(i, j)_A <- …`, an export `C(i,j) <- (i, j)_C`, or a declaration");
  arrow_line();
}

// A word is ours unless it is a tensor that is written here: `time(i) <- …`.
bool TextParser::at_word(std::string_view word) const { return at(word) && !has_arrow(); }

bool TextParser::has_arrow() const {
  for (std::size_t t = 0;; ++t) {
    const Token& token = peek(t);
    if (token.kind == TokenKind::line_end || token.kind == TokenKind::file_end) return false;
    if (token.text == "<" && peek(t + 1).text == "-") return true;
  }
}

TextSpace& TextParser::in_space() {
  if (program_.spaces.empty() || in_constants_)
    fail(peek(), "this line belongs to a space", "write `space C(i, j) : 0 <= i < n, 0 <= j < m` above it");
  return program_.spaces.back();
}

void TextParser::axes() {
  take();
  do program_.axes.push_back(binder("the name of an axis of the array"));
  while (accept(","));
  end_statement("the axes");
}

void TextParser::passes() {
  const Token word = take();
  program_.passes = integer("how many components of time separate passes");
  program_.passes_span = since(word.span);
  end_statement("`passes`");
}

void TextParser::timing() {
  const Token word = take();
  if (program_.timing) fail(word, "there are two lines `timing`");
  expect("t", "after `timing`: a timing is written `timing t = i + j + k`");
  expect("=", "after `timing t`");
  program_.timing = sum();
  program_.timing_span = since(word.span);
  end_statement("the timing");
}

void TextParser::step_line() {
  const Token word = take();
  TextSpace& own = in_space();
  if (own.step || own.no_step) fail(word, fmt::format("space `{}` has its `step` twice", own.name.name));
  own.no_step = accept("none");
  if (!own.no_step) own.step = sum();
  own.step_span = since(word.span);
  end_statement("the step");
}

void TextParser::space() {
  take();
  TextSpace own;
  own.name = binder("the name of a space");
  for (const TextSpace& other : program_.spaces)
    if (other.name.name == own.name.name) {
      diagnostics_.error(own.name.span, fmt::format("there are two spaces `{}`", own.name.name))
          .note(other.name.span, "the first is here");
      throw frontend::StatementAbandoned{};
    }
  const Token open = expect("(", "before the coordinates of the space");
  if (!at(")")) do
      own.coordinates.push_back(binder("the name of a coordinate"));
    while (accept(","));
  expect_close(open, ")", "or `,` after a coordinate");
  if (accept(":")) own.domain = domain();
  in_constants_ = false;
  program_.spaces.push_back(std::move(own));
  end_statement("the space");
}

void TextParser::value() {
  take();
  TextSpace& own = in_space();
  const std::size_t first = own.values.size();
  do own.values.push_back({binder("the name of a value"), ValueType::f64, {}});
  while (accept(","));
  expect(":", "before the type of the value");
  const Token word = expect_name("a type: f64, f32, i32, i64 or bool");
  const auto type = tensor::value_type_named(word.text);
  if (!type) fail(word, fmt::format("`{}` is no type", word.text), "types are f64, f32, i32, i64 and bool");
  std::vector<Expr> tile;
  if (at("(")) tile = arguments(word.text);
  for (std::size_t v = first; v < own.values.size(); ++v) {
    own.values[v].type = *type;
    own.values[v].tile = tile;
  }
  end_statement("the value");
}

void TextParser::arrow_line() {
  const Token first = take();
  TextLine result;
  result.target = access(first);
  if (as<Name>(result.target)) result.target = Expr(Access{std::string(first.text), {}, {}}, first.span);
  if (at("=")) fail(peek(), "a rule is written with an arrow", "write `<-` instead of `=`");
  if (!at("<") || peek(1).text != "-")
    fail_expected("`<-` after the left-hand side",
                  "a rule is `(i, j)_A <- (i, j-1)_A : 1 <= j`, an export `C(i,j) <- (i, j)_C`");
  take();
  take();
  if (!in_constants_) in_space();
  result.space = in_constants_ ? -1 : static_cast<int>(program_.spaces.size()) - 1;
  if (peek(1).kind == TokenKind::name && (at("boundary") || at("broadcast")))
    result.supply = take().text == "boundary" ? Supply::boundary : Supply::broadcast;
  result.expr = expression();
  if (accept(":")) result.domain = domain();
  result.span = since(first.span);
  end_statement("the rule");
  program_.lines.push_back(std::move(result));
}

TextDomain TextParser::domain() {
  TextDomain result;
  do {
    result.emplace_back();
    do result.back().push_back(chain());
    while (accept(","));
  } while (accept("or"));
  return result;
}

TextChain TextParser::chain() {
  TextChain result;
  result.operands.push_back(operand());
  while (const auto relation = accept_relation()) {
    result.relations.push_back(*relation);
    result.operands.push_back(operand());
  }
  if (at("=")) fail(peek(), "a condition compares with `==`", "write `==` instead of `=`");
  if (at("and")) fail(peek(), "conditions are separated by commas", "write `,` instead of `and`");
  if (result.relations.empty()) fail_expected("a comparison such as `k < j` in the condition");
  return result;
}

std::pair<Expr, std::int64_t> TextParser::operand() {
  Expr expr = sum();
  if (!accept("mod")) return {expr, 0};
  const Token token = peek();
  const std::int64_t modulus = integer("a modulus");
  if (modulus < 1) fail(token, "expected a modulus from 1 up");
  return {expr, modulus};
}

} // namespace cyclotron::dataflow
