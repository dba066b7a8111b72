// SPDX-License-Identifier: MIT
// Texts that are nearly programs: each is read or refused with a message, and what is read prints as itself.
#include "ir/tokens.hpp"
#include "unit/pattern/programs.hpp"
#include "unit/pattern/read.hpp"

namespace cyclotron::pattern {
namespace {

// `read` expects that there is a program, or an error.
void try_text(const std::string& text) {
  std::string report;
  const auto program = read(text, report);
  if (!program) {
    EXPECT_NE(report, "");
    return;
  }
  const std::string printed = print(*program);
  EXPECT_EQ(again(printed), printed);
}

TEST(PatternGarbage, CutAnywhere) {
  for (const std::string text : {spmv, joins, odd_names})
    for (std::size_t length = 0; length <= text.size(); ++length) try_text(text.substr(0, length));
}

// The tokens of a text, without ends of lines.
std::vector<Span> words_of(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  std::vector<Span> list;
  for (const ir::Token& t : ir::tokens_of(sources.add("x.pattern", text), diagnostics))
    if (t.kind != ir::TokenKind::line_end && t.kind != ir::TokenKind::file_end) list.push_back(t.span);
  return list;
}

TEST(PatternGarbage, WithoutAToken) {
  for (const std::string text : {spmv, joins, odd_names})
    for (const Span span : words_of(text)) try_text(text.substr(0, span.begin) + text.substr(span.end));
}

TEST(PatternGarbage, WithAnotherToken) {
  for (const std::string text : {spmv, joins, odd_names})
    for (const Span span : words_of(text))
      for (const char* other : {"n", "3", "[", ")", "by", "\n  "})
        try_text(text.substr(0, span.begin) + other + text.substr(span.end));
}

TEST(PatternGarbage, WithoutALine) {
  for (const std::string text : {spmv, joins, odd_names})
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
      try_text(text.substr(0, begin) + text.substr(text.find('\n', begin) + 1));
}

TEST(PatternGarbage, Deep) {
  std::string nest = "pattern k\nsizes n\n";
  for (int i = 0; i < 400; ++i) nest += std::string(i, ' ') + "if n < 1\n";
  EXPECT_EQ(mistake_in(nest + std::string(400, ' ') + "enq(q, n)\n").message, "this nests more than 300 levels deep");
  for (const char* start : {"(", "-", "not ", "x[", "f64(", "1 + "}) {
    std::string text = "pattern k\nlet a: i64 = ";
    for (int i = 0; i < 100000; ++i) text += start;
    EXPECT_EQ(mistake_in(text + "1\n").message, "this nests more than 300 levels deep");
  }
}

} // namespace
} // namespace cyclotron::pattern
