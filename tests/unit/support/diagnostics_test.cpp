// SPDX-License-Identifier: MIT
// Messages as people see them: the line, and carets right under what they are about.
#include "fuzz/property.hpp"
#include "support/diagnostics.hpp"

#include <sstream>

namespace cyclotron {
namespace {

// The report of one error at the bytes [begin, end) of a text.
std::string report(const std::string& text, std::uint32_t begin, std::uint32_t end, const std::string& label = "") {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.error(Span{sources.add("a.cyc", text), begin, end}, "wrong").label(label);
  return diagnostics.render(false);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Diagnostics, OneLine) {
  EXPECT_EQ(report("x(i) = y(i)\n", 7, 11, "what is this?"), "error: wrong\n"
                                                             "  --> a.cyc:1:8\n"
                                                             "   |\n"
                                                             " 1 | x(i) = y(i)\n"
                                                             "   |        ^^^^ what is this?\n");
}

TEST(Diagnostics, LaterLine) {
  EXPECT_EQ(report("a\nb\n  c d\ne\n", 8, 9), "error: wrong\n  --> a.cyc:3:5\n   |\n 3 |   c d\n   |     ^\n");
}

TEST(Diagnostics, MarginFitsTheLineNumber) {
  const std::string text = std::string(99, '\n') + "abc";
  EXPECT_EQ(report(text, 99, 102), "error: wrong\n    --> a.cyc:100:1\n     |\n 100 | abc\n     | ^^^\n");
}

TEST(Diagnostics, LastLineWithoutNewline) {
  EXPECT_EQ(report("a\nbc", 2, 4), "error: wrong\n  --> a.cyc:2:1\n   |\n 2 | bc\n   | ^^\n");
}

TEST(Diagnostics, EndOfFile) {
  EXPECT_EQ(report("ab", 2, 2), "error: wrong\n  --> a.cyc:1:3\n   |\n 1 | ab\n   |   ^\n");
  EXPECT_EQ(report("ab\n", 3, 3), "error: wrong\n  --> a.cyc:2:1\n   |\n 2 |\n   | ^\n");
  EXPECT_EQ(report("", 0, 0), "error: wrong\n  --> a.cyc:1:1\n   |\n 1 |\n   | ^\n");
  EXPECT_EQ(report("ab", 900, 950), "error: wrong\n  --> a.cyc:1:3\n   |\n 1 | ab\n   |   ^\n"); // outside: still shown
}

TEST(Diagnostics, NewlineItself) {
  EXPECT_EQ(report("ab\ncd\n", 2, 3), "error: wrong\n  --> a.cyc:1:3\n   |\n 1 | ab\n   |   ^\n");
}

TEST(Diagnostics, SpanOverSeveralLinesIsUnderlinedToTheEndOfTheFirst) {
  EXPECT_EQ(report("ab(\n  c)\n", 1, 8), "error: wrong\n  --> a.cyc:1:2\n   |\n 1 | ab(\n   |  ^^\n");
}

TEST(Diagnostics, CaretsCountCharactersNotBytes) {
  EXPECT_EQ(report("größe ∑ x", 12, 13), "error: wrong\n  --> a.cyc:1:9\n   |\n 1 | größe ∑ x\n   |         ^\n");
  EXPECT_EQ(report("größe x", 0, 7), "error: wrong\n  --> a.cyc:1:1\n   |\n 1 | größe x\n   | ^^^^^\n");
}

TEST(Diagnostics, TabsAndOtherControlsTakeOneColumn) {
  EXPECT_EQ(report("\tx\t= \x01y", 5, 6), "error: wrong\n  --> a.cyc:1:6\n   |\n 1 |  x =  y\n   |      ^\n");
  EXPECT_EQ(report("x = 1\r\ny", 0, 1).find('\r'), std::string::npos);
}

TEST(Diagnostics, LongLinesAreCutAroundTheCaret) {
  const std::string text = std::string(5000, 'a') + "!" + std::string(5000, 'b');
  const auto lines = lines_of(report(text, 5000, 5001));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1], "  --> a.cyc:1:5001");
  EXPECT_LT(lines[3].size(), 200u);
  EXPECT_EQ(lines[3].find('!'), lines[4].find('^')); // the caret stands under the sign
}

// Under every character of a long line of two-byte letters the caret stands right, and no letter is cut in half.
TEST(Diagnostics, LongLinesOfLongCharacters) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "ä";
  for (std::uint32_t at : {0u, 100u, 299u}) {
    std::string marked = text;
    marked.replace(2 * at, 2, "!");
    const auto lines = lines_of(report(marked, 2 * at, 2 * at + 1));
    const std::string shown = lines[3].substr(0, lines[3].find('!'));
    EXPECT_NE(lines[3].find('!'), std::string::npos);
    const auto columns = std::count_if(shown.begin(), shown.end(), [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_EQ(static_cast<std::size_t>(columns), lines[4].find('^')) << at;
    EXPECT_NE(lines[3][5] & 0xC0, 0x80) << "starts with half a letter";
    EXPECT_NE(lines[3].back() & 0xC0, 0xC0) << "ends with half a letter";
  }
}

TEST(Diagnostics, EverySpanOfEveryTextRenders) {
  fuzz::check_property(200, [](const std::string& text, std::uint16_t begin, std::uint16_t length) {
    const std::string out = report(text, begin % (text.size() + 2), begin % (text.size() + 2) + length % 50);
    RC_ASSERT(out.starts_with("error: wrong\n"));
    RC_ASSERT(out.back() == '\n');
    RC_ASSERT(lines_of(out).size() == 5u);
  });
}

TEST(Diagnostics, NotesAndHint) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::int32_t file = sources.add("a.cyc", "one\ntwo\n");
  diagnostics.error(Span{file, 4, 7}, "second")
      .note(Span{file, 0, 3}, "first is here", "see")
      .note("no place")
      .with_hint("do this");
  EXPECT_EQ(diagnostics.render(false), "error: second\n  --> a.cyc:2:1\n   |\n 2 | two\n   | ^^^\n"
                                       "note: first is here\n  --> a.cyc:1:1\n   |\n 1 | one\n   | ^^^ see\n"
                                       "note: no place\n"
                                       "hint: do this\n");
}

TEST(Diagnostics, InOrderOfTheFile) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::int32_t file = sources.add("a.cyc", "abc");
  diagnostics.error(Span{file, 2, 3}, "third");
  diagnostics.error("nowhere");
  diagnostics.error(Span{file, 0, 1}, "first");
  const std::string out = diagnostics.render(false);
  EXPECT_LT(out.find("first"), out.find("third"));
}

TEST(Diagnostics, DataFiles) {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.error(Place{"a.mtx", 7, 3, "1 x 2"}, "not a number");
  diagnostics.error(Place{"b.mtx", 0, 0, ""}, "empty");
  EXPECT_EQ(diagnostics.render(false),
            "error: not a number\n  --> a.mtx:7:3\n   |\n 7 | 1 x 2\n   |   ^\n\nerror: empty\n  --> b.mtx\n");
}

TEST(Diagnostics, CountsAndKinds) {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.warning(Span{}, "hm");
  EXPECT_FALSE(diagnostics.failed());
  diagnostics.unsupported(Span{}, "not here");
  EXPECT_TRUE(diagnostics.failed() && diagnostics.only_unsupported());
  diagnostics.error("no");
  EXPECT_FALSE(diagnostics.only_unsupported());
  EXPECT_EQ(diagnostics.errors(), 2);
}

TEST(Diagnostics, ColorOnlyWhereAsked) {
  Sources sources;
  Diagnostics diagnostics(sources);
  diagnostics.error(Span{sources.add("a.cyc", "x"), 0, 1}, "wrong");
  EXPECT_EQ(diagnostics.render(false).find('\033'), std::string::npos);
  std::string plain = diagnostics.render(true);
  EXPECT_NE(plain.find('\033'), std::string::npos);
  for (std::size_t at; (at = plain.find('\033')) != std::string::npos;) plain.erase(at, plain.find('m', at) - at + 1);
  EXPECT_EQ(plain, diagnostics.render(false));
}

TEST(Span, Cover) {
  const Span nowhere, a{0, 3, 5}, b{0, 8, 9}, other{1, 0, 1};
  EXPECT_FALSE(nowhere.known());
  EXPECT_EQ(cover(a, b).begin, 3u);
  EXPECT_EQ(cover(b, a).end, 9u);
  EXPECT_EQ(cover(nowhere, b).begin, 8u);
  EXPECT_EQ(cover(a, nowhere).end, 5u);
  EXPECT_EQ(cover(a, other).file, 0);
}

TEST(Sources, Slice) {
  Sources sources;
  const std::int32_t file = sources.add("a.cyc", "hello");
  EXPECT_EQ(sources.slice({file, 1, 3}), "el");
  EXPECT_EQ(sources.slice({file, 3, 300}), "lo");
  EXPECT_EQ(sources.slice({file, 300, 301}), "");
  EXPECT_EQ(sources.slice({}), "");
}

} // namespace
} // namespace cyclotron
