// SPDX-License-Identifier: MIT
// What all reports share: words, colours, drawings.
#include "report/colours.hpp"
#include "report/drawing.hpp"
#include "report/words.hpp"
#include "xml_check.hpp"

#include <gtest/gtest.h>

namespace cyclotron::report {
namespace {

TEST(Words, FiguresAndLongNames) {
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::uint64_t{3} << 40), "3.0 TiB");
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde…");
  EXPECT_EQ(shortened("äöüäöü", 4), "äöü…");
  EXPECT_EQ(shortened("one\ntwo", 9), "one …");
  EXPECT_EQ(number(-0.001), "0");
  EXPECT_EQ(number(12.346), "12.35");
}

TEST(Colours, RampAndTerminal) {
  EXPECT_EQ(hex(ramp(-1)), "#440154");
  EXPECT_EQ(hex(ramp(0.5)), "#21918c");
  EXPECT_EQ(hex(ramp(2)), "#fde725");
  EXPECT_EQ(hex(ink_on(ramp(0))), "#ffffff");
  EXPECT_EQ(hex(ink_on(ramp(1))), "#000000");
  EXPECT_EQ(terminal_colour({0, 0, 0}), 16);
  EXPECT_EQ(terminal_colour({255, 255, 255}), 231);
}

TEST(Drawing, TextIsEscaped) {
  EXPECT_EQ(xml_text("<a b=\"c\">&\t"), "&lt;a b=&quot;c&quot;&gt;&amp;?");
  EXPECT_EQ(xml_problem("<a><b></a>"), "closes /a") << "the check itself can fail";
  EXPECT_NE(xml_problem("<a x=1/>"), "");
  EXPECT_NE(xml_problem("<a>&b;</a>"), "");
}

} // namespace
} // namespace cyclotron::report
