// SPDX-License-Identifier: MIT
// Reads the text form: the head of a program, with its sizes, constants and arrays off the chip.
#include "pattern/parser.hpp"
#include "pattern/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace cyclotron::pattern {

std::string Parser::name(std::string_view what) {
  const Token token = peek();
  if (token.kind != TokenKind::word) fail_expected(what);
  if (!is_name(token.text))
    fail(token.span, fmt::format("`{}` cannot be {}: it has a meaning of its own", token.text, what),
         fmt::format("write `{}_`", token.text));
  return std::string(take().text);
}

ValueType Parser::type() {
  expect(":", "before the type");
  const Token token = take();
  const auto found = tensor::value_type_named(token.text);
  if (!found) fail(token.span, fmt::format("{} is no type", describe(token)), std::string(type_hint));
  return *found;
}

void Parser::head(Program& program) {
  if (!at("pattern")) fail_expected("`pattern`", "a program begins with its name: `pattern spmv`");
  take();
  program.name = name("the name of a program");
  expect_line_end("the name of the program");
  while (at_head_line()) {
    if (accept("sizes")) sizes(program);
    else if (accept("environment")) environment(program);
    else if (accept("dram")) dram(program);
  }
}

bool Parser::at_head_line() const { return (at("sizes") || at("environment") || at("dram")) && !at_write(); }

void Parser::sizes(Program& program) {
  do program.sizes.push_back(name("the name of a size"));
  while (accept(","));
  expect_line_end("the sizes");
}

void Parser::environment(Program& program) {
  Environment e;
  e.name = name("the name of a constant");
  expect("=", "before the value of the constant");
  e.value = integer("the value of a constant");
  expect_line_end("the constant");
  program.environment.push_back(std::move(e));
}

void Parser::dram(Program& program) {
  Dram d;
  d.out = at("out");
  if (!accept("in") && !accept("out")) fail_expected("`in` or `out` after `dram`");
  d.name = name("the name of a dram");
  d.type = type();
  expect("[", "before the extent of the dram");
  if (!at("]")) d.extent = expression();
  expect("]", "behind the extent of the dram");
  expect("of", "before the tensor that the dram belongs to");
  if (peek().kind != TokenKind::word) fail_expected("the name of a tensor");
  d.tensor = std::string(take().text);
  const auto array = std::find(array_words.begin(), array_words.end(), peek().text);
  if (peek().kind != TokenKind::word || array == array_words.end())
    fail_expected("`positions`, `coordinates` or `values` after the tensor");
  take();
  d.array = static_cast<ArrayKind>(array - array_words.begin());
  if (d.array != ArrayKind::values) d.level = level();
  expect_line_end("the dram");
  program.drams.push_back(std::move(d));
}

int Parser::level() {
  const Span begin = peek().span;
  const std::int64_t level = integer("a level");
  if (level < 1 || level > std::numeric_limits<int>::max())
    fail(since(begin), fmt::format("{} is no level: they count from 1, in the order of storage", level));
  return static_cast<int>(level);
}

std::optional<Program> Parser::run() {
  Program program;
  try {
    head(program);
    if (!ended()) program.body = body(-1, nullptr);
    if (!ended())
      fail(peek().span, "the indentation of this line fits none of the lines above it",
           "lines of one body begin in the same column");
  } catch (const ir::Abandoned&) {
    return std::nullopt;
  }
  return program;
}

std::optional<Program> parse(std::int32_t file, Diagnostics& diagnostics) {
  const int before = diagnostics.errors(); // those of others
  std::optional<Program> program = Parser(file, diagnostics).run();
  if (!program || diagnostics.errors() != before) return std::nullopt;
  if (const auto problem = find_problem(*program)) {
    diagnostics.error(problem->span, problem->message);
    return std::nullopt;
  }
  return program;
}

} // namespace cyclotron::pattern
