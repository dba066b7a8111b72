// SPDX-License-Identifier: MIT
// Charts: where marks stand, and that every value is drawn.
#include "explore/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cyclotron::explore {
namespace {

using Marks = std::vector<double>;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Chart, MarksAreRoundNumbersThatCoverTheValues) {
  EXPECT_EQ(marks_of(0, 100, false), (Marks{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(marks_of(0, 23, false), (Marks{0, 5, 10, 15, 20, 25}));
  EXPECT_EQ(marks_of(30, 4000, true), (Marks{10, 100, 1000, 10000}));
  EXPECT_EQ(marks_of(0, 100.00000001, false), (Marks{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(marks_of(20, 90, true), (Marks{10, 20, 50, 100}));
}

TEST(Chart, EveryBarIsDrawnAndNamed) {
  const Panel panel{"",    "",   "cycles",       ChartKind::bars,
                    false, true, {"ijk", "i<j"}, {{"ours", {}, {100, 20000}, false}}};
  const std::string svg = chart_svg({"Orders", {panel}});
  EXPECT_EQ(count(svg, "<title>ijk, ours: 100</title>"), 1u);
  EXPECT_EQ(count(svg, "<title>i&lt;j, ours: 20000</title>"), 1u);
  EXPECT_EQ(count(svg, "<svg "), 1u);
}

TEST(Chart, ALineLeavesOutWhatIsNoNumber) {
  const Panel panel{"",    "n",   "cycles", ChartKind::lines,
                    false, false, {},       {{"a", {1, 2, 3}, {5, std::nan(""), 7}, false}}};
  const std::string svg = chart_svg({"Lines", {panel}});
  EXPECT_EQ(count(svg, "<title>a, "), 2u);
  EXPECT_EQ(count(svg, "nan"), 0u);
}

TEST(Chart, StackedBarsStandOnEachOther) {
  const Panel panel{"",    "",    "%",   ChartKind::stacked,
                    false, false, {"m"}, {{"data", {}, {60}, false}, {"idle", {}, {40}, true}}};
  const std::string svg = chart_svg({"Shares", {panel}});
  // The axis is 260 high from 64 down: 60 of 100 begin at 168, the other 40 at the top.
  EXPECT_NE(svg.find(R"(y="168" width="60" height="156")"), std::string::npos);
  EXPECT_NE(svg.find(R"(y="64" width="60" height="104")"), std::string::npos);
}

} // namespace
} // namespace cyclotron::explore
