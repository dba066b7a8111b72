// SPDX-License-Identifier: MIT
#include "ir/token_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cyclotron::ir {

namespace {

constexpr int deepest_nesting = 300;

} // namespace

std::string describe(const Token& token) {
  if (token.kind == TokenKind::line_end) return "the end of the line";
  if (token.kind == TokenKind::file_end) return "the end of the file";
  return fmt::format("`{}`", token.text);
}

const Token& TokenReader::peek(std::size_t ahead) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }

Token TokenReader::take() {
  const Token token = peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  return token;
}

bool TokenReader::at(std::string_view text, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return (token.kind == TokenKind::symbol || token.kind == TokenKind::word) && token.text == text;
}

bool TokenReader::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

void TokenReader::expect(std::string_view text, std::string_view where) {
  if (!accept(text)) fail_expected(fmt::format("`{}` {}", text, where));
}

void TokenReader::expect_line_end(std::string_view what) {
  if (peek().kind != TokenKind::line_end) fail_expected(fmt::format("the end of the line after {}", what));
  take();
}

std::int64_t TokenReader::integer(std::string_view what) {
  const bool negative = accept("-");
  const Token token = peek();
  std::int64_t value = 0;
  const char* end = token.text.data() + token.text.size();
  if (token.kind != TokenKind::number) fail_expected(what);
  const auto result = std::from_chars(token.text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end)
    fail(token.span, fmt::format("expected {}, found `{}`", what, token.text), "it is a whole number");
  take();
  return negative ? -value : value;
}

Span TokenReader::since(Span begin) const { return cover(begin, tokens_[next_ == 0 ? 0 : next_ - 1].span); }

void TokenReader::fail(Span span, std::string message, std::string hint) {
  diagnostics_.error(span, std::move(message)).with_hint(std::move(hint));
  throw Abandoned{};
}

void TokenReader::fail_expected(std::string_view what, std::string hint) {
  fail(peek().span, fmt::format("expected {}, found {}", what, describe(peek())), std::move(hint));
}

void TokenReader::enter() {
  if (++depth_ > deepest_nesting)
    fail(peek().span, fmt::format("this nests more than {} levels deep", deepest_nesting));
}

} // namespace cyclotron::ir
