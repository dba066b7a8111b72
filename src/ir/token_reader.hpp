// SPDX-License-Identifier: MIT
// What the recursive-descent parsers of text forms are made of: looking at tokens, taking them, and saying what was
// expected where something else stands. A parser derives from it, and goes on after no mistake: these texts are written
// by programs.
#pragma once

#include "ir/tokens.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::ir {

// Thrown inside a parser only, after the error has been reported.
struct Abandoned {};

// "`x`", "the end of the line".
std::string describe(const Token& token);

class TokenReader {
protected:
  TokenReader(std::int32_t file, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), tokens_(tokens_of(file, diagnostics)) {}

  const Token& peek(std::size_t ahead = 0) const;
  bool ended() const { return peek().kind == TokenKind::file_end; }
  Token take();
  // Of words and symbols.
  bool at(std::string_view text, std::size_t ahead = 0) const;
  bool accept(std::string_view text);
  void expect(std::string_view text, std::string_view where);
  void expect_line_end(std::string_view what);
  std::int64_t integer(std::string_view what);
  Span since(Span begin) const; // to the token that was taken last

  [[noreturn]] void fail(Span span, std::string message, std::string hint = "");
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = "");

  // Around whatever nests: keeps every walk over the result shallow.
  void enter();
  void leave() { --depth_; }

  Diagnostics& diagnostics_;
  int depth_ = 0;

private:
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

} // namespace cyclotron::ir
