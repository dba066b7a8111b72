// SPDX-License-Identifier: MIT
// What the picture of a design says.
#include "lanes_report/picture.hpp"
#include "unit/lanes/compiled.hpp"

#include <gtest/gtest.h>

namespace cyclotron::lanes {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(LanePicture, CellsAndWays) {
  const auto program = compiled(example("conv1d_fsm"), {"array", {"z"}, 4});
  ASSERT_TRUE(program);
  const std::string svg = lanes_report::picture(*program, {{"m", 16}, {"r", 5}});
  EXPECT_EQ(count(svg, "rx=\"3\""), 80U); // a cell for each product
  EXPECT_EQ(count(svg, ">writes memory<"), 16U);
  EXPECT_EQ(count(svg, ">reads memory<"), 5U + 15U); // the weights with the first inputs, and an input a step
  for (const char* way :
       {"X: moves an element to the left in 2 steps", "W: stays", "Z: moves an element to the left in a step"})
    EXPECT_EQ(count(svg, way), 1U) << way;
}

TEST(LanePicture, OnlyAPageOfIt) {
  const auto program = compiled(example("conv1d"));
  ASSERT_TRUE(program);
  const std::string svg = lanes_report::picture(*program, {{"n", 300}, {"r", 70}});
  EXPECT_EQ(count(svg, "rx=\"3\""), 40U * 60U);
  EXPECT_EQ(count(svg, "and 10 steps more"), 1U);
}

} // namespace
} // namespace cyclotron::lanes
