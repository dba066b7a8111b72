// SPDX-License-Identifier: MIT
// Drives the parser: statement after statement, each error confined to its own.
#include "frontend/parse.hpp"

#include "frontend/foreign.hpp"
#include "frontend/parser.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

namespace cyclotron::frontend {

namespace {

std::string describe(const Token& token) {
  switch (token.kind) {
  case TokenKind::line_end: return "the end of the line";
  case TokenKind::file_end: return "the end of the file";
  case TokenKind::text: return fmt::format("the text \"{}\"", token.text);
  default: return fmt::format("`{}`", token.text);
  }
}

// What to write instead of something from another language; "" where it is not from there.
std::string hint_for_foreign(const Token& token) {
  if (token.kind == TokenKind::name) return std::string(hint_for_foreign_word(token.text));
  if (token.kind != TokenKind::symbol) return "";
  const ForeignSymbol* row = foreign_symbol_at(token.text);
  return row && row->written == token.text ? std::string(row->hint) : "";
}

} // namespace

const Token& Parser::peek(std::size_t ahead) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }

Token Parser::take() {
  const Token token = peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  return token;
}

bool Parser::at(std::string_view text) const {
  return (peek().kind == TokenKind::symbol || peek().kind == TokenKind::name) && peek().text == text;
}

bool Parser::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

Token Parser::expect(std::string_view text, std::string_view where) {
  if (!at(text)) fail_expected(fmt::format("`{}` {}", text, where));
  return take();
}

void Parser::expect_close(const Token& open, std::string_view text, std::string_view where, std::string hint) {
  if (accept(text)) return;
  if (hint.empty()) hint = hint_for_foreign(peek());
  diagnostics_.error(peek().span, fmt::format("expected `{}` {}, found {}", text, where, describe(peek())))
      .note(open.span, "the bracket opens here")
      .with_hint(std::move(hint));
  throw StatementAbandoned{};
}

Token Parser::expect_name(std::string_view what) {
  if (peek().kind != TokenKind::name) fail_expected(what);
  return take();
}

recurrence::Binder Parser::binder(std::string_view what) {
  const Token token = expect_name(what);
  return {std::string(token.text), token.span};
}

Span Parser::since(Span begin) const { return cover(begin, tokens_[next_ == 0 ? 0 : next_ - 1].span); }

void Parser::fail(const Token& token, std::string message, std::string hint) {
  diagnostics_.error(token.span, std::move(message)).with_hint(std::move(hint));
  throw StatementAbandoned{};
}

void Parser::fail_expected(std::string_view expected, std::string hint) {
  if (hint.empty()) hint = hint_for_foreign(peek());
  fail(peek(), fmt::format("expected {}, found {}", expected, describe(peek())), std::move(hint));
}

void Parser::skip_statement() {
  while (peek().kind != TokenKind::line_end && peek().kind != TokenKind::file_end) take();
}

void Parser::end_statement(std::string_view what) {
  if (peek().kind == TokenKind::line_end || peek().kind == TokenKind::file_end) return;
  std::string hint;
  if (at(";")) hint = "a statement ends with its line; leave the `;` out";
  if (at("(")) hint = "all indices stand between the same brackets: `A(i,j)`";
  if (at(",") || at("..")) hint = "each statement has a line of its own; constraints stand behind `:`";
  fail_expected(fmt::format("the end of the line after {}", what), std::move(hint));
}

void Parser::start_statement() {
  operators_ = 0;
  nesting_ = 0;
  depth_.clear();
  nodes_.clear();
}

void Parser::each_line(const std::function<void()>& parse_one) {
  while (peek().kind != TokenKind::file_end) {
    if (peek().kind == TokenKind::line_end) {
      take();
      continue;
    }
    try {
      start_statement();
      parse_one();
    } catch (const StatementAbandoned&) {
      skip_statement();
    }
  }
}

Unit Parser::run() {
  each_line([this] { statement(); });
  return std::move(unit_);
}

Unit parse(std::int32_t file, Diagnostics& diagnostics) {
  return Parser(lex(file, diagnostics.sources(), diagnostics), diagnostics).run();
}

std::string print(const Unit& unit) {
  std::string out = recurrence::print(unit.program);
  for (const schedule::Schedule& s : unit.schedules) out += "\n" + schedule::print(s);
  return out;
}

} // namespace cyclotron::frontend
