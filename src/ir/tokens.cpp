// SPDX-License-Identifier: MIT
#include "ir/tokens.hpp"

#include <fmt/format.h>

#include <array>

namespace cyclotron::ir {

namespace {

constexpr std::array<std::string_view, 7> long_symbols{"..", "->", "//", "<=", ">=", "==", "!="};
constexpr std::string_view short_symbols = "+-*/%&|^<>=:,()[]";

bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_figure(char c) { return c >= '0' && c <= '9'; }

class Tokens {
public:
  Tokens(std::int32_t file, Diagnostics& diagnostics)
      : file_(file), text_(diagnostics.sources().text(file)), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    end_line();
    push(TokenKind::file_end, at_);
    return std::move(found_);
  }

private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void push(TokenKind kind, std::size_t begin) {
    found_.push_back({kind,
                      text_.substr(begin, at_ - begin),
                      {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)},
                      static_cast<int>(begin - line_)});
  }

  void end_line() {
    if (!found_.empty() && found_.back().kind != TokenKind::line_end) push(TokenKind::line_end, at_);
  }

  void step() {
    const std::size_t begin = at_;
    const char c = peek();
    if (c == '\n') {
      end_line();
      line_ = ++at_;
    } else if (c == ' ') {
      ++at_;
    } else if (c == '#') {
      while (at_ < text_.size() && peek() != '\n') ++at_;
    } else if (starts_word(c)) {
      while (starts_word(peek()) || is_figure(peek())) ++at_;
      push(TokenKind::word, begin);
    } else if (is_figure(c)) {
      number();
      push(TokenKind::number, begin);
    } else {
      symbol();
    }
  }

  // With what stands behind it without a blank, `3i32`: the parser says what is no number.
  void number() {
    while (is_figure(peek())) ++at_;
    if (peek() == '.' && peek(1) != '.') { // not in `0..n`
      ++at_;
      while (is_figure(peek())) ++at_;
    }
    if (peek() == 'e' && (is_figure(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_figure(peek(2))))) {
      at_ += 2;
      while (is_figure(peek())) ++at_;
    }
    while (starts_word(peek()) || is_figure(peek())) ++at_;
  }

  void symbol() {
    const std::size_t begin = at_;
    for (const std::string_view two : long_symbols)
      if (text_.substr(at_, 2) == two) {
        at_ += 2;
        return push(TokenKind::symbol, begin);
      }
    ++at_;
    if (short_symbols.find(text_[begin]) != std::string_view::npos && text_[begin] != '\0')
      return push(TokenKind::symbol, begin);
    while (static_cast<unsigned char>(peek()) >= 0x80) ++at_; // the rest of a letter that is not of ours
    diagnostics_
        .error({file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)}, "unexpected character")
        .label("no token starts like this")
        .with_hint("programs are plain text, indented by blanks; comments start with `#`");
  }

  std::int32_t file_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::vector<Token> found_;
  std::size_t at_ = 0;
  std::size_t line_ = 0; // where it begins
};

} // namespace

std::vector<Token> tokens_of(std::int32_t file, Diagnostics& diagnostics) { return Tokens(file, diagnostics).run(); }

} // namespace cyclotron::ir
