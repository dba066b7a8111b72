// SPDX-License-Identifier: MIT
// Statements: declarations and equations.
#include "frontend/foreign.hpp"
#include "frontend/parse.hpp"
#include "frontend/parser.hpp"

#include "recurrence/kernels.hpp"
#include "support/nearest.hpp"
#include "support/quote.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace cyclotron::frontend {

using namespace recurrence;

namespace {

const std::set<std::string_view> reserved{"tensor", "let",   "assume", "default", "schedule", "and", "or",   "not",
                                          "true",   "false", "inf",    "select",  "min",      "max", "sqrt", "abs",
                                          "exp",    "log",   "pow",    "sum",     "prod",     "any", "all"};

} // namespace

bool is_reserved(std::string_view name) { return reserved.count(name) > 0 || kernel_named(name); }

void Parser::statement() {
  if (at("tensor")) return tensor();
  if (at("let")) return let();
  if (at("assume")) return assume();
  if (at("default")) return default_value();
  if (at("schedule")) return schedule();
  if (peek().kind != TokenKind::name)
    fail_expected(
        "a statement",
        "a statement is `tensor …`, `let …`, `assume …`, `default …`, `schedule …` or an equation `x(i) = …`");
  // Two names in a row are a misspelt keyword: an equation goes on with `(`, `^` or `=`.
  if (peek(1).kind == TokenKind::name) {
    const std::vector<std::string> words{"tensor", "let", "assume", "default", "schedule"};
    std::string hint(hint_for_foreign_statement(peek().text));
    if (hint.empty()) hint = did_you_mean(peek().text, words);
    fail(peek(), fmt::format("`{}` starts no statement", peek().text), std::move(hint));
  }
  // `for (…)` and `if (…)`, unless a tensor bears the name.
  if ((at("for") || at("while") || at("if")) && !unit_.program.tensor(peek().text))
    fail(peek(), fmt::format("`{}` starts no statement", peek().text),
         std::string(hint_for_foreign_statement(peek().text)));
  equation();
}

void Parser::tensor() {
  const Span begin = take().span;
  TensorDecl decl;
  const Token name_token = peek();
  decl.name = binder("the name of a tensor");
  if (is_reserved(decl.name.name))
    fail(name_token, fmt::format("`{}` is a word of the language", decl.name.name), "choose another name");
  if (at("(")) decl.dims = arguments(decl.name.name);
  decl.format = tensor::dense_format(static_cast<int>(decl.dims.size()));
  if (peek().kind == TokenKind::name)
    fail_expected("`:` before the type or format",
                  fmt::format("write `tensor {}(…): {}`", decl.name.name, peek().text));
  if (at("[")) square_brackets(name_token, "dimensions");
  if (accept(":")) traits(decl);
  decl.span = since(begin);
  end_statement("the declaration");
  if (const TensorDecl* other = unit_.program.tensor(decl.name.name)) {
    diagnostics_.error(decl.name.span, fmt::format("`{}` is declared twice", decl.name.name))
        .note(other->name.span, "it is declared first here");
    return;
  }
  unit_.program.tensors.push_back(std::move(decl));
}

// `f32 csr onchip`: each at most once, in any order.
void Parser::traits(TensorDecl& decl) {
  const int rank = static_cast<int>(decl.dims.size());
  bool typed = false, formatted = false, placed = false;
  const auto once = [&](bool& seen, std::string_view what) {
    if (seen) fail(peek(), fmt::format("a tensor has one {}", what));
    seen = true;
  };
  if (peek().kind == TokenKind::line_end || peek().kind == TokenKind::file_end)
    fail_expected("a type or a format after `:`");
  while (peek().kind == TokenKind::name || at("{")) {
    if (const auto type = tensor::value_type_named(peek().text)) {
      once(typed, "type");
      take();
      decl.type = *type;
    } else if (at("onchip") || at("offchip")) {
      once(placed, "region");
      decl.format.region = take().text == "onchip" ? tensor::Region::onchip : tensor::Region::offchip;
    } else {
      if (formatted && at("order"))
        fail(peek(), "`order` follows levels in braces only",
             "write levels, such as `{dense, compressed} order (1,0)`, which is also named `csc`");
      once(formatted, "format");
      const tensor::Region region = decl.format.region;
      decl.format = format(rank);
      decl.format.region = region;
    }
  }
}

tensor::Format Parser::format(int rank) {
  const Token first = peek();
  if (!at("{")) {
    const Token name = take();
    if (auto named = tensor::format_named(name.text, rank)) return *named;
    std::vector<std::string> known = tensor::format_names();
    for (const std::string& f : known)
      if (f == name.text)
        fail(name, fmt::format("`{}` does not fit a tensor of {} dimension{}", name.text, rank, rank == 1 ? "" : "s"),
             "`csr`, `csc` and `dcsr` are for matrices; `csf` and `coo` fit any rank from 1 up");
    for (const char* type : {"f64", "f32", "i32", "i64", "bool"}) known.emplace_back(type);
    static const std::map<std::string_view, std::string> elsewhere{
        {"int", "i32"},     {"int32", "i32"},   {"int64", "i64"},  {"long", "i64"},    {"float", "f32"},
        {"float32", "f32"}, {"float64", "f64"}, {"double", "f64"}, {"boolean", "bool"}};
    std::string hint = did_you_mean(name.text, known);
    if (const auto at = elsewhere.find(name.text); at != elsewhere.end()) hint = fmt::format("write `{}`", at->second);
    fail(name, fmt::format("`{}` is no type and no format", name.text),
         hint.empty() ? "types are f64, f32, i32, i64, bool; formats are dense, csr, csc, dcsr, coo, csf or levels "
                        "such as `{dense, compressed}`"
                      : hint);
  }
  take();
  tensor::Format result;
  do {
    const Token level = expect_name("a level: " + join_names(tensor::level_kind_names(), "or"));
    const auto kind = tensor::level_kind_named(level.text);
    if (!kind)
      fail(level, fmt::format("`{}` is no level format", level.text),
           "levels are " + join_names(tensor::level_kind_names(), "and"));
    result.levels.push_back(*kind);
  } while (accept(","));
  expect("}", "after the levels");
  for (int i = 0; i < result.rank(); ++i) result.order.push_back(i);
  if (accept("order")) {
    result.order.clear();
    expect("(", "before the dimension order");
    do result.order.push_back(static_cast<int>(std::min<std::int64_t>(integer("a dimension"), 1000)));
    while (accept(","));
    expect(")", "after the dimension order");
  }
  if (result.rank() != rank)
    fail({first.kind, first.text, since(first.span)},
         fmt::format("expected {} levels, one per dimension, found {}", rank, result.rank()));
  if (const std::string problem = tensor::problem_of(result); !problem.empty())
    fail({first.kind, first.text, since(first.span)}, problem);
  return result;
}

void Parser::let() {
  const Span begin = take().span;
  LetDecl decl;
  decl.name = binder("the name of a constant");
  expect("=", "after the constant's name");
  decl.value = expression();
  decl.span = since(begin);
  end_statement("the constant");
  if (const LetDecl* other = unit_.program.let(decl.name.name)) {
    diagnostics_.error(decl.name.span, fmt::format("`{}` is defined twice", decl.name.name))
        .note(other->name.span, "it is defined first here");
    return;
  }
  unit_.program.lets.push_back(std::move(decl));
}

void Parser::assume() {
  const Span begin = take().span;
  for (Constraint& c : constraints()) {
    const Span span = c.span;
    unit_.program.assumptions.push_back({std::move(c), cover(begin, span)});
  }
  end_statement("the assumption");
}

void Parser::default_value() {
  const Span begin = take().span;
  DefaultDecl decl;
  decl.name = binder("the name of an input or a size");
  expect("=", "after the name");
  const Token first = peek();
  if (first.kind == TokenKind::text) {
    decl.value = unquote(take().text);
  } else if (first.kind == TokenKind::name && first.text != "inf" && first.text != "true" && first.text != "false") {
    decl.value = recipe(take());
  } else {
    WrittenOut list;
    written_out(list, 0);
    decl.value = std::move(list);
  }
  decl.value_span = since(first.span);
  decl.span = since(begin);
  end_statement("the default");
  unit_.program.defaults.push_back(std::move(decl));
}

tensor::Recipe Parser::recipe(const Token& name) {
  tensor::Recipe result;
  result.name = name.text;
  enter(name);
  if (accept("(") && !accept(")")) {
    do result.arguments.push_back(recipe_argument());
    while (accept(","));
    expect(")", fmt::format("or `,` in the arguments of `{}`", name.text));
  }
  --nesting_;
  result.span = since(name.span);
  return result;
}

tensor::Argument Parser::recipe_argument() {
  tensor::Argument argument;
  const Span begin = peek().span;
  if (peek().kind == TokenKind::name && peek(1).kind == TokenKind::symbol && peek(1).text == "=") {
    argument.name = take().text;
    take();
  }
  if (peek().kind == TokenKind::text) {
    argument.value = unquote(take().text);
  } else if (peek().kind == TokenKind::name && !at("inf") && !at("true") && !at("false")) {
    argument.value = std::vector<tensor::Recipe>{recipe(take())};
  } else {
    argument.value = signed_number().value;
  }
  argument.span = since(begin);
  return argument;
}

Number Parser::signed_number() {
  const bool negative = accept("-");
  Number result;
  if (at("true") || at("false")) {
    result.integer = take().text == "true" ? 1 : 0;
    result.value = static_cast<double>(*result.integer);
  } else if (at("inf") || peek().kind == TokenKind::number) {
    result = std::get<Number>(primary()->kind);
  } else {
    fail_expected("a number");
  }
  if (negative) {
    result.value = -result.value;
    if (result.integer) result.integer = -*result.integer;
  }
  return result;
}

// `3`, `[1, 2]`, `[[1, 2], [3, 4]]`: every list at one depth has the same length.
void Parser::written_out(WrittenOut& list, std::size_t depth) {
  if (!at("[")) {
    const Token token = peek();
    if (depth != list.dims.size() && !(list.values.empty() && depth >= list.dims.size()))
      fail(token, "expected a list here, as in the rows before");
    list.values.push_back(signed_number());
    return;
  }
  const Token open = take();
  enter(open);
  if (depth == list.dims.size()) {
    if (!list.values.empty()) fail(open, "expected a number here, as in the rows before");
    list.dims.push_back(-1);
  }
  std::int64_t count = 0;
  if (!accept("]")) {
    do {
      written_out(list, depth + 1);
      ++count;
    } while (accept(","));
    expect_close(open, "]", "or `,` in the list");
  }
  --nesting_;
  if (list.dims[depth] >= 0 && list.dims[depth] != count)
    fail({open.kind, open.text, since(open.span)},
         fmt::format("expected {} entries, as in the row before, found {}", list.dims[depth], count));
  list.dims[depth] = count;
}

void Parser::equation() {
  const Token name = take();
  const Span begin = name.span;
  if (reserved.count(name.text))
    fail(name, fmt::format("`{}` is a word of the language and starts no equation", name.text));
  Equation result;
  Expr target = access(name);
  if (as<Name>(target)) target = Expr(Access{std::string(name.text), {}, {}}, name.span);
  result.target = target;
  if (at("[")) square_brackets(name);
  if (at("==") || at(":=") || at("←") || (at("<") && peek(1).text == "-"))
    fail(peek(), "an equation is written with `=`", fmt::format("write `{} = …`", print(target)));
  if (at("+") || at("-") || at("*") || at("/"))
    fail(peek(), "an equation says what an element is, not how it changes",
         fmt::format("write `{} = …` with a reduction such as `sum[k](…)`", print(target)));
  expect("=", "after the left-hand side");
  result.value = expression();
  if (accept(":")) result.constraints = constraints();
  result.span = since(begin);
  end_statement("the equation");
  unit_.program.equations.push_back(std::move(result));
}

} // namespace cyclotron::frontend
