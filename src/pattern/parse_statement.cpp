// SPDX-License-Identifier: MIT
// Statements. A body is what is indented deeper than its header.
#include "pattern/parser.hpp"
#include "pattern/words.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::pattern {

namespace {

constexpr std::string_view statement_hint =
    "a statement begins with `sram`, `sparse sram`, `fifo`, `reg`, `bits`, `let`, `load`, `store`, `enq`, `set`, "
    "`foreach`, `reduce`, `if` or `yield`, or is `x[i] = e` or `t = e`";

} // namespace

// The word, how the rest of the line is read, and what the line is called.
struct Parser::Simple {
  std::string_view word;
  Kind (*read)(Parser&);
  std::string_view what;
};

const std::vector<Parser::Simple>& Parser::simple_statements() {
  static const std::vector<Simple> list{
      {"sram", [](Parser& p) { return p.memory(MemoryKind::sram); }, "the sram"},
      {"sparse",
       [](Parser& p) {
         p.expect("sram", "after `sparse`");
         return p.memory(MemoryKind::sparse_sram);
       },
       "the sram"},
      {"fifo", [](Parser& p) { return p.memory(MemoryKind::fifo); }, "the fifo"},
      {"reg", [](Parser& p) { return p.memory(MemoryKind::reg); }, "the register"},
      {"bits", [](Parser& p) { return p.memory(MemoryKind::bits); }, "the bits"},
      {"let", [](Parser& p) { return p.let(); }, "the value"},
      {"load", [](Parser& p) { return p.load(); }, "the load"},
      {"store", [](Parser& p) { return p.store(); }, "the store"},
      {"enq", [](Parser& p) { return p.enqueue(); }, "`enq`"},
      {"set", [](Parser& p) { return p.set_bits(); }, "the count"},
  };
  return list;
}

Body Parser::body(int outside, Expr* yielded) {
  enter();
  const int own = peek().column;
  if (ended() || own <= outside)
    fail_expected("a body, indented deeper than the line above", "indent it by two blanks");
  Body list;
  while (!ended() && peek().column == own) {
    if (at("yield") && !at_write()) yield(own, yielded);
    else list.push_back(statement(own));
  }
  if (!ended() && peek().column > own)
    fail(peek().span, "this line is indented deeper than the one above, which takes no body",
         "lines of one body begin in the same column");
  leave();
  return list;
}

void Parser::yield(int column, Expr* yielded) {
  const Token word = take();
  if (!yielded) fail(word.span, "`yield` ends the body of a `reduce`, and nothing else");
  *yielded = expression();
  expect_line_end("the value");
  if (!ended() && peek().column == column)
    fail(peek().span, "this line stands behind `yield`, which ends the body of a `reduce`");
}

// `x[…`, `t = `, `t by sum = `: of memories with any name.
bool Parser::at_write() const { return at("[", 1) || at("=", 1) || (at("by", 1) && at("=", 3)); }

Statement Parser::statement(int column) {
  const Token first = peek();
  const auto line = [&](Kind kind, std::string_view what) {
    const Span span = since(first.span);
    expect_line_end(what);
    return Statement{std::move(kind), span};
  };
  std::vector<std::string> known{"foreach", "reduce", "if", "yield"};
  if (first.kind == TokenKind::word) {
    if (at_write()) return line(write(), "the value");
    if (at("foreach") || at("reduce")) return loop(column);
    if (at("if")) return condition(column);
    for (const Simple& s : simple_statements()) {
      if (accept(s.word)) return line(s.read(*this), s.what);
      known.emplace_back(s.word);
    }
  }
  const std::string near = did_you_mean(first.text, known);
  fail_expected("a statement", near.empty() ? std::string(statement_hint) : near);
}

Parser::Kind Parser::memory(MemoryKind kind) {
  Declare d;
  d.kind = kind;
  d.name = name("the name of a memory");
  if (kind != MemoryKind::bits) d.type = type();
  if (kind == MemoryKind::reg) {
    expect("=", "before the first value of the register");
    d.initial = expression();
    return d;
  }
  expect("[", "before the extent of the memory");
  d.extent = expression();
  expect("]", "behind the extent of the memory");
  return d;
}

Parser::Kind Parser::let() {
  Let l;
  l.name = name("the name of a value");
  l.type = type();
  expect("=", "before the value");
  l.value = expression();
  return l;
}

// `[first .. end]`
void Parser::slice(const std::string& of, Expr& first, Expr& end) {
  expect("[", fmt::format("after `{}`, before the first index", of));
  first = expression();
  expect("..", "between the first index and the end");
  end = expression();
  expect("]", "behind the end");
}

Parser::Kind Parser::load() {
  Load l;
  l.to = name("the name of a memory");
  expect("from", "before the dram that is loaded");
  l.from = name("the name of a dram");
  slice(l.from, l.first, l.end);
  if (at("par")) l.par = par();
  return l;
}

Parser::Kind Parser::store() {
  Store s;
  s.from = name("the name of a memory");
  expect("to", "before the dram that is stored to");
  s.to = name("the name of a dram");
  slice(s.to, s.first, s.end);
  if (at("par")) s.par = par();
  return s;
}

Parser::Kind Parser::enqueue() {
  Enqueue e;
  expect("(", "after `enq`");
  e.fifo = name("the name of a fifo");
  expect(",", "before the number that the fifo takes");
  e.value = expression();
  expect(")", "to close the bracket");
  return e;
}

Parser::Kind Parser::set_bits() {
  SetBits s;
  s.bits = name("the name of bits");
  expect("from", "before the fifo of coordinates");
  s.fifo = name("the name of a fifo");
  expect("count", "before the number of coordinates");
  s.count = expression();
  return s;
}

Parser::Kind Parser::write() {
  Write w;
  w.memory = name("a memory that is written");
  if (accept("[")) {
    w.index = expression();
    expect("]", "behind the index");
  }
  if (accept("by")) w.reducer = reducer();
  expect("=", "before the value that is written");
  w.value = expression();
  return w;
}

Reducer Parser::reducer() {
  const Token word = peek();
  const auto found = recurrence::reducer_named(word.text);
  if (word.kind != TokenKind::word || !found)
    fail_expected("a reduction", "reductions are sum, prod, min, max, any and all");
  take();
  return *found;
}

// `par 16`, `par ip`
Expr Parser::par() {
  expect("par", "");
  const Token first = peek();
  if (first.kind == TokenKind::word) return Expr(Variable{name("a parallel factor")}, first.span);
  const std::int64_t factor = integer("a parallel factor, which is a number or the name of a constant");
  return Expr(Number{ValueType::i64, factor, 0}, since(first.span));
}

Statement Parser::loop(int column) {
  Loop l;
  const Token first = take();
  const bool reduces = first.text == "reduce";
  if (reduces) {
    l.reg = name("the register of a reduction");
    expect("by", "before the kind of reduction");
    l.reducer = reducer();
    expect("over", "before what the reduction is over");
  }
  l.header = header();
  l.par = at("par") ? par() : Expr(Number{ValueType::i64, 1, 0}, first.span);
  const Span span = since(first.span);
  expect_line_end("the header of the loop");
  l.body = body(column, reduces ? &l.value : nullptr);
  if (reduces && !l.value)
    fail(span, "the body of this `reduce` does not end with `yield`", "write `yield e` in its last line");
  return {std::move(l), span};
}

std::variant<Range, Scan> Parser::header() {
  if (at("scan") && at("(", 1)) return scan();
  Range r;
  r.index = name("the index of a loop");
  expect("=", "after the index of the loop");
  r.first = expression();
  expect("..", "between the first index and the end");
  r.end = expression();
  return r;
}

Scan Parser::scan() {
  Scan s;
  take();
  expect("(", "after `scan`");
  s.a = name("the name of bits");
  if (at("or") || at("and")) {
    s.join = take().text == "or" ? Join::either : Join::both;
    s.b = name("the name of bits");
  }
  expect(",", "before the number of coordinates, or `or` or `and`");
  s.extent = expression();
  expect(")", "to close the bracket");
  expect("->", "before the names of what a scan gives");
  s.position_a = name("the name of a position");
  expect(",", "behind the name of a position");
  if (!s.b.empty()) {
    s.position_b = name("the name of the position in the second bits");
    expect(",", "behind the name of a position");
    s.out = name("the name of the number of iterations before");
    expect(",", "behind the name of the number of iterations before");
  }
  s.coordinate = name("the name of the coordinate");
  return s;
}

Statement Parser::condition(int column) {
  If i;
  const Token first = take();
  i.condition = expression();
  const Span span = since(first.span);
  expect_line_end("the condition");
  i.body = body(column, nullptr);
  return {std::move(i), span};
}

} // namespace cyclotron::pattern
