// SPDX-License-Identifier: MIT
// Loops, steps, and what is done in them.
#include "pe/parser.hpp"
#include "pe/verify.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::pe {

using namespace recurrence;
using frontend::TokenKind;

// What follows, as far as it is indented deeper than `outside`; it may be empty.
std::vector<Statement> FileParser::body(int outside, int depth) {
  std::vector<Statement> result;
  const int own = column(peek());
  if (depth > deepest_body) fail(peek(), fmt::format("this program is more than {} levels deep", deepest_body));
  while (peek().kind != TokenKind::file_end && column(peek()) > outside) {
    if (column(peek()) != own)
      fail(peek(), "the indentation of this line fits none of the lines above it",
           "lines of one body start in the same column, two blanks further in than their header");
    start_statement();
    result.push_back(statement(own, depth));
  }
  return result;
}

Statement FileParser::statement(int own, int depth) {
  if (accept("for")) return {loop(own, depth)};
  if (accept("pass")) return {pass()};
  if (accept("step")) return {step(own)};
  if (!accept("if")) fail_expected("a statement", "a line is `for …`, `if …`, `pass …` or `step …`");
  If result;
  result.any = alternatives();
  end_of_line("the condition");
  result.body = body(own, depth + 1);
  return {std::move(result)};
}

Loop FileParser::loop(int own, int depth) {
  Loop result;
  const Token variable = expect_name("the variable of the loop");
  result.variable = variable.text;
  if (std::find(scope_.begin(), scope_.end(), result.variable) != scope_.end())
    fail(variable, fmt::format("`{}` is an axis or the variable of a loop around this one", result.variable));
  expect("=", "after the variable of the loop");
  result.first = index();
  expect("..", "between the first and the last value");
  result.last = index();
  if (accept("step")) result.step = whole("a step");
  end_of_line("the loop");
  scope_.push_back(result.variable);
  result.body = body(own, depth + 1);
  scope_.pop_back();
  return result;
}

Pass FileParser::pass() {
  Pass result;
  expect("(", "after `pass`");
  if (!at(")")) {
    do result.at.push_back(index());
    while (accept(","));
  }
  expect(")", "after the numbers of the pass");
  if (accept("cycles")) result.cycles = whole("a number of cycles");
  end_of_line("the pass");
  return result;
}

Step FileParser::step(int own) {
  Step result;
  result.space = word("the name of an iteration space");
  coordinates(result);
  end_of_line("the step");
  coordinates_.clear();
  for (const auto& [name, value] : result.coordinates) coordinates_.push_back(name);
  const int column_of_actions = column(peek());
  while (peek().kind != TokenKind::file_end && column(peek()) > own) {
    if (column(peek()) != column_of_actions) fail(peek(), "the lines of a step start in the same column");
    start_statement();
    result.actions.push_back(action());
    end_of_line("what the step does");
  }
  return result;
}

void FileParser::coordinates(Step& step) {
  if (!accept("(")) return;
  do {
    const Token name = expect_name("the name of a coordinate");
    for (const auto& [other, value] : step.coordinates)
      if (other == name.text) fail(name, fmt::format("the coordinate `{}` is named twice", name.text));
    if (accept("=")) step.coordinates.emplace_back(name.text, index());
    else step.coordinates.emplace_back(name.text, index_of(Expr(Name{std::string(name.text)}, name.span)));
  } while (accept(","));
  expect(")", "after the coordinates of the step");
}

// --- actions ---

Action FileParser::action() {
  if (!at("[")) return store();
  Slot own = slot();
  if (accept("->")) return Send{std::move(own), channel_end(1)};
  if (!at("<") || peek(1).text != "-") fail_expected("`<-` or `->` after the register");
  take();
  take();
  if (at_load()) return load(std::move(own));
  if (at_receive()) return Receive{std::move(own), channel_end(-1)};
  return Compute{std::move(own), expression()};
}

// `A(i,k)  load boundary`: the word stands where an expression would go on with an operator.
bool FileParser::at_load() const {
  std::size_t last = 0;
  while (peek(last).kind != TokenKind::line_end && peek(last).kind != TokenKind::file_end) ++last;
  if (last >= 3 && peek(last - 2).text == "load") --last;
  if (last < 2 || peek(last - 1).text != "load") return false;
  const Token& before = peek(last - 2);
  return before.kind == TokenKind::name || before.text == ")";
}

// `[i-1,k]_B`, or `[i,k]_B via name`.
bool FileParser::at_receive() const {
  if (!at("[") || in_host_) return false;
  std::size_t next = 1;
  for (std::size_t a = 0; a < program_.axes.size(); ++a) {
    if (a > 0 && peek(next++).text != ",") return true;
    if (peek(next++).text != program_.axes[a].name) return true;
  }
  return peek(next).text != "]" || peek(next + 2).text == "via";
}

const Memory& FileParser::tensor_named(const Token& name) {
  if (const Memory* m = program_.tensor(std::string(name.text))) return *m;
  Names known;
  for (const Memory& m : program_.tensors) known.push_back(m.name);
  fail(name, fmt::format("no tensor `{}` is declared", name.text),
       known.empty() ? ""
                     : fmt::format("there {} {}{}", known.size() == 1 ? "is" : "are", join_names(known),
                                   did_you_mean(name.text, known)));
}

Load FileParser::load(Slot to) {
  Load result{std::move(to), {}, {}, Supply::direct};
  result.tensor = tensor_named(expect_name("the name of a tensor")).name;
  if (at("(")) result.indices = indices(arguments(result.tensor));
  expect("load", "after the element");
  if (accept("boundary")) result.supply = Supply::boundary;
  else if (accept("broadcast")) result.supply = Supply::broadcast;
  return result;
}

Store FileParser::store() {
  Store result;
  if (peek().kind != TokenKind::name)
    fail_expected("what a step does", "a line is `[i]_x <- …`, `[i]_x -> [i+1]_x` or `A(i) <- [i]_x`");
  result.tensor = tensor_named(take()).name;
  if (at("(")) result.indices = indices(arguments(result.tensor));
  if (!at("<") || peek(1).text != "-") fail_expected("`<-` after the element that is stored");
  take();
  take();
  result.from = slot();
  return result;
}

// One distance per axis.
std::vector<std::int64_t> FileParser::position() {
  std::vector<std::int64_t> result;
  expect("[", "before the position of a PE");
  if (in_host_) {
    expect("host", "as the position of what is not in the array");
  } else {
    for (const Axis& axis : program_.axes) {
      if (!result.empty()) expect(",", "between the coordinates of a PE");
      expect(axis.name, "as the next axis of the grid");
      const bool after = accept("+"), before = !after && accept("-");
      const std::int64_t distance = after || before ? integer("a distance") : 0;
      result.push_back(before ? -distance : distance);
    }
  }
  expect("]", "after the position of a PE");
  return result;
}

// `_B` behind a position; gives the name without the line.
FileParser::Token FileParser::value_name(std::string_view what) {
  if (peek().kind != TokenKind::name || !peek().text.starts_with('_') || peek().text.size() < 2)
    fail_expected(fmt::format("`_` and {}", what), "write `[i,k]_B`");
  Token name = take();
  name.text.remove_prefix(1);
  ++name.span.begin;
  return name;
}

Expr FileParser::register_access() {
  const Token begin = peek();
  const std::vector<std::int64_t> where = position();
  if (std::any_of(where.begin(), where.end(), [](std::int64_t o) { return o != 0; }))
    fail({TokenKind::name, {}, since(begin.span)}, "a step reads and writes the registers of its own PE only",
         "receive it first, on a line of its own");
  const Token name = value_name("the name of a register");
  if (!program_.find_register(std::string(name.text))) {
    Names known;
    for (const Register& r : program_.registers) known.push_back(r.name);
    fail(name, fmt::format("no register `{}` is declared", name.text),
         known.empty() ? ""
                       : fmt::format("there {} {}{}", known.size() == 1 ? "is" : "are", join_names(known),
                                     did_you_mean(name.text, known)));
  }
  const Expr result = access(name);
  const Access* a = as<Access>(result);
  if (!a) return Expr(Access{std::string(name.text), {}, {}}, since(begin.span));
  if (a->step) fail(name, "a register has no superscript");
  indices(a->indices);
  return result;
}

Slot FileParser::slot() {
  const Expr expr = register_access();
  const Access& a = std::get<Access>(expr->kind);
  return {a.tensor, indices(a.indices)};
}

// Each affine in the coordinates of the step.
std::vector<Affine> FileParser::indices(const std::vector<Expr>& list) {
  static const recurrence::Program no_constants;
  std::vector<Affine> result;
  for (const Expr& e : list) {
    const auto affine = affine_of(e, no_constants);
    if (const NotAffine* why = std::get_if<NotAffine>(&affine))
      fail({TokenKind::name, {}, why->span}, "an index is affine in the coordinates of its step: " + why->reason);
    result.push_back(std::get<Affine>(affine));
  }
  return result;
}

// The channel whose other end is written here: the receiving one (sign 1) or the sending one (-1).
int FileParser::channel_end(int sign) {
  const Token begin = peek();
  std::vector<std::int64_t> offset = position();
  for (std::int64_t& o : offset) o *= sign;
  const Token value = value_name("what the channel carries");
  const Span span = since(begin.span);
  const Token via = accept("via") ? expect_name("the name of a channel") : Token{};
  std::vector<int> found;
  Names names;
  for (std::size_t c = 0; c < program_.channels.size(); ++c) {
    const Channel& channel = program_.channels[c];
    if (channel.value != value.text || channel.offset != offset) continue;
    if (!via.text.empty() && channel.name != via.text) continue;
    found.push_back(static_cast<int>(c));
    names.push_back(channel.name);
  }
  const std::string_view place = diagnostics_.sources().slice(span);
  if (found.size() > 1)
    fail({TokenKind::name, {}, span},
         fmt::format("{} channels lead {} `{}`", found.size(), sign > 0 ? "to" : "here from", place),
         fmt::format("name the one that is meant: `{} via {}`", place, names[0]));
  if (found.empty())
    fail({TokenKind::name, {}, span},
         fmt::format("no channel{} leads {} `{}`", via.text.empty() ? "" : fmt::format(" `{}`", via.text),
                     sign > 0 ? "to" : "here from", place),
         "channels are declared before the roles: `channel B1: f64 [i,k]_B -> [i+1,k]_B`");
  return found[0];
}

// --- expressions ---

// Registers stand behind a position; a name alone is a coordinate.
Expr FileParser::primary() {
  if (in_index_) return Parser::primary();
  if (at("[")) return register_access();
  const bool named = peek().kind == TokenKind::name;
  const Expr result = Parser::primary();
  if (!named) return result;
  if (as<Reduce>(result))
    fail({TokenKind::name, {}, result->span}, "a step has no reductions", "it adds one term to a register");
  if (const Access* a = as<Access>(result))
    fail({TokenKind::name, {}, result->span}, fmt::format("`{}` is read without the position of its PE", a->tensor),
         "registers are written as `[i,k]_C`; tensors are loaded first, on a line of their own");
  const Name* name = as<Name>(result);
  if (!name) return result;
  if (std::find(coordinates_.begin(), coordinates_.end(), name->id) == coordinates_.end())
    fail_scope(name->id, result->span, coordinates_);
  return Expr(Name{name->id, NameKind::index}, result->span);
}

} // namespace cyclotron::pe
