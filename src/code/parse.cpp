// SPDX-License-Identifier: MIT
// Reads the text form: the head of a kernel, and its statements. A body is what is indented deeper than its header.
#include "code/operators.hpp"
#include "code/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::code {

std::string Parser::name(std::string_view what) {
  const Token token = peek();
  if (token.kind != TokenKind::word) fail_expected(what);
  if (!is_name(token.text))
    fail(token.span, fmt::format("`{}` cannot be {}: it has a meaning of its own", token.text, what),
         fmt::format("write `{}_`", token.text));
  return std::string(take().text);
}

// --- the head ---

void Parser::head(Kernel& kernel) {
  if (!at("kernel")) fail_expected("`kernel`", "a kernel begins with its name: `kernel conv1d lanes 16`");
  take();
  kernel.name = name("the name of a kernel");
  expect("lanes", "and how many there are");
  kernel.lanes = integer("the number of lanes");
  expect_line_end("the number of lanes");
  if (accept("sizes")) {
    do kernel.sizes.push_back(name("the name of a size"));
    while (accept(","));
    expect_line_end("the sizes");
  }
  while (std::count(role_words.begin(), role_words.end(), peek().text) && peek().kind == TokenKind::word)
    memory(kernel);
}

void Parser::memory(Kernel& kernel) {
  Memory m;
  const auto role = std::find(role_words.begin(), role_words.end(), take().text);
  m.role = static_cast<Role>(role - role_words.begin());
  m.name = name("the name of a memory");
  expect(":", "before the type of the elements");
  const Token type = take();
  const auto scalar = scalar_named(type.text);
  if (!scalar)
    fail(type.span, fmt::format("{} is no type", ir::describe(type)), "types are bool, i16, i32, i64, f32 and f64");
  m.scalar = *scalar;
  if (accept("[")) {
    m.elements = expression();
    expect("]", "behind the number of elements");
  }
  m.once = accept("once");
  expect_line_end("the memory");
  kernel.memories.push_back(std::move(m));
}

// --- statements ---

Body Parser::body(int outside) {
  enter();
  const int own = peek().column;
  if (peek().kind == TokenKind::file_end || own <= outside)
    fail_expected("a body, indented deeper than the line above", "indent it by two blanks");
  Body list;
  while (peek().kind != TokenKind::file_end && peek().column == own) list.push_back(statement(own));
  if (peek().kind != TokenKind::file_end && peek().column > own)
    fail(peek().span, "this line is indented deeper than the one above, which takes no body",
         "lines of one body begin in the same column");
  leave();
  return list;
}

Statement Parser::statement(int column) {
  const Token first = peek();
  const auto simple = [&](auto kind, std::string_view what) {
    const Span span = since(first.span);
    expect_line_end(what);
    return Statement{std::move(kind), span};
  };
  if (first.kind != TokenKind::word)
    fail_expected("a statement", "a statement begins with `var`, `store`, `for`, `workers`, `blocks`, `if`, `barrier`, "
                                 "`fail`, or the name of a variable");
  if (accept("var")) return simple(declare(), "the variable");
  if (accept("store")) return simple(store(), "the store");
  if (accept("barrier")) return simple(Barrier{}, "`barrier`");
  if (accept("fail")) {
    const std::int64_t code = integer("the number of a failure");
    expect("if", "and the condition of the failure");
    return simple(Fail{code, expression()}, "the condition");
  }
  if (accept("if")) return {condition(column), first.span};
  if (std::count(run_words.begin(), run_words.end(), first.text)) return {loop(column), first.span};
  const std::string target = name("a variable that is assigned");
  if (at("["))
    fail(first.span, fmt::format("`{}` is stored to with a word before it", target),
         fmt::format("write `store {}[…] = …`", target));
  expect("=", "after the variable that is assigned");
  return simple(Assign{target, expression()}, "the value");
}

Declare Parser::declare() {
  Declare d;
  d.name = name("the name of a variable");
  expect(":", "before the type of the variable");
  const Token type = take();
  const auto scalar = scalar_named(type.text);
  if (!scalar)
    fail(type.span, fmt::format("{} is no type", ir::describe(type)), "types are bool, i16, i32, i64, f32 and f64");
  d.type = {*scalar, accept("lanes")};
  if (accept("=")) d.value = expression();
  return d;
}

Store Parser::store() {
  Store s;
  s.memory = name("the name of a memory");
  expect("[", "before the index");
  s.index = expression();
  if (accept(":")) s.stride = expression();
  if (at("if")) fail(peek().span, "the mask of a store stands behind its value", "write `store z[i : 1] = e if mask`");
  expect("]", "behind the index");
  expect("=", "before the value that is stored");
  s.value = expression();
  if (accept("if")) s.mask = expression();
  return s;
}

For Parser::loop(int column) {
  For f;
  const auto word = std::find(run_words.begin(), run_words.end(), take().text);
  f.run = static_cast<Run>(word - run_words.begin());
  f.variable = name("the variable of a loop");
  expect("=", "after the variable of the loop");
  f.first = expression();
  expect("..", "between the first number and the end");
  f.end = expression();
  if (accept("step")) f.step = integer("the step");
  if (accept("unroll")) f.unroll = integer("how far to unroll");
  expect_line_end("the loop");
  f.body = body(column);
  return f;
}

If Parser::condition(int column) {
  If i;
  i.condition = expression();
  expect_line_end("the condition");
  i.body = body(column);
  return i;
}

// Goes on after no mistake: kernels are written by programs.
std::optional<Kernel> Parser::run() {
  Kernel kernel;
  try {
    head(kernel);
    kernel.body = body(-1);
    if (peek().kind != TokenKind::file_end)
      fail(peek().span, "the indentation of this line fits none of the lines above it",
           "lines of one body begin in the same column");
  } catch (const ir::Abandoned&) {
    return std::nullopt;
  }
  return kernel;
}

std::optional<Kernel> parse(std::int32_t file, Diagnostics& diagnostics) {
  const int before = diagnostics.errors(); // those of others
  std::optional<Kernel> kernel = Parser(file, diagnostics).run();
  if (!kernel || diagnostics.errors() != before) return std::nullopt;
  if (const auto problem = find_problem(*kernel)) {
    diagnostics.error(problem->span, problem->message);
    return std::nullopt;
  }
  return kernel;
}

} // namespace cyclotron::code
