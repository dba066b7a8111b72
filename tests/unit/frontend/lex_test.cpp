// SPDX-License-Identifier: MIT
// Text to tokens: where statements end is the part that is easy to get wrong.
#include "frontend/lex.hpp"

#include <gtest/gtest.h>

namespace cyclotron::frontend {
namespace {

// The tokens joined by blanks, a line end as `;;`.
std::string tokens(const std::string& text, int errors = 0) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::int32_t file = sources.add("a.cyc", text);
  std::string out;
  for (const Token& t : lex(file, sources, diagnostics)) {
    if (t.kind == TokenKind::file_end) break;
    out += (out.empty() ? "" : " ") + (t.kind == TokenKind::line_end ? ";;" : std::string(t.text));
    if (t.kind != TokenKind::text && t.kind != TokenKind::line_end) {
      EXPECT_EQ(sources.slice(t.span), t.text);
    }
  }
  EXPECT_EQ(diagnostics.errors(), errors) << diagnostics.render(false);
  return out;
}

TEST(Lex, Symbols) {
  EXPECT_EQ(tokens("a<=b>=c==d!=e->f<g>h=i"), "a <= b >= c == d != e -> f < g > h = i ;;");
  EXPECT_EQ(tokens("x^(t-1)(i,j)"), "x ^ ( t - 1 ) ( i , j ) ;;");
  EXPECT_EQ(tokens("a<-b"), "a < - b ;;");
}

TEST(Lex, Numbers) {
  EXPECT_EQ(tokens("1 1.5 .5 1. 1e9 1e-9 2.5E+3"), "1 1.5 .5 1. 1e9 1e-9 2.5E+3 ;;");
  tokens("2i", 1);
  tokens("1.2.3", 1);
  tokens("1e", 1);
}

TEST(Lex, TextsAndComments) {
  EXPECT_EQ(tokens("\"a b # c\" # d \"\n"), "a b # c ;;");
  tokens("\"never closed\nx", 1);
}

TEST(Lex, LinesGoOn) {
  EXPECT_EQ(tokens("a = b +\n c\n"), "a = b + c ;;");
  EXPECT_EQ(tokens("a = b\n  + c\n"), "a = b + c ;;");
  EXPECT_EQ(tokens("a = b\n\n# so\n  : i < j,\n k < l\n"), "a = b : i < j , k < l ;;");
  EXPECT_EQ(tokens("a = f(b\n c)\nd"), "a = f ( b c ) ;; d ;;");
  EXPECT_EQ(tokens("a = b and\n c\n or d"), "a = b and c or d ;;");
  EXPECT_EQ(tokens("a\n\n\nb\n\n"), "a ;; b ;;");
  EXPECT_EQ(tokens("order_ = 1\norder2 = 2"), "order_ = 1 ;; order2 = 2 ;;"); // `or` must be a whole word
}

TEST(Lex, ForgottenBracketDoesNotSwallowDeclarations) {
  EXPECT_EQ(tokens("a = f(b\ntensor x(n)\n"), "a = f ( b ;; tensor x ( n ) ;;");
}

TEST(Lex, LineEndsOfAllSystems) { EXPECT_EQ(tokens("a = 1\r\nb = 2\r\n"), "a = 1 ;; b = 2 ;;"); }

TEST(Lex, Empty) {
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens("\n \t\n# only\n"), "");
}

TEST(Lex, SymbolsOfOtherLanguagesAreReadAsWhatTheyMean) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::int32_t file = sources.add("a.cyc", "a ≤ b");
  const std::vector<Token> read = lex(file, sources, diagnostics);
  ASSERT_GE(read.size(), 3U);
  EXPECT_EQ(read[1].text, "<=");
  EXPECT_EQ(sources.slice(read[1].span), "≤");
  EXPECT_EQ(diagnostics.errors(), 1);
}

TEST(Lex, StrangeCharactersAreReportedOnceARun) {
  tokens("a ♥♥ b", 1);
  tokens("a ♥ b ♥", 2);
  tokens(std::string("a \0\0 b", 6), 1);
}

} // namespace
} // namespace cyclotron::frontend
