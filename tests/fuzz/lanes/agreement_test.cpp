// SPDX-License-Identifier: MIT
// Programs with no schedule, or with one that stands for many, at odd sizes.
#include "fuzz/lanes/in_lanes.hpp"

#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

void agrees_in_lanes(const std::string& text, const std::vector<LaneSizes>& all_sizes) {
  for (const RunsOn machine : {RunsOn::registers, RunsOn::gpu}) {
    InLanes program(text, "", machine, all_sizes.back());
    for (const LaneSizes& sizes : all_sizes) EXPECT_EQ(program.compare_with_interpreter(sizes), "");
  }
}

TEST(LanesAgreement, Alignment) {
  agrees_in_lanes(
      "tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1, n+1): i32\ntensor score: i32\n"
      "H(i,0) = -i\nH(0,j) = -j : j >= 1\n"
      "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 1, -1), H(i-1,j) - 1, H(i,j-1) - 1) : i >= 1, j >= 1\n"
      "score = H(m,n)\n",
      {{{"m", 0}, {"n", 3}}, {{"m", 2}, {"n", 0}}, {{"m", 5}, {"n", 131}}, {{"m", 71}, {"n", 67}}});
}

TEST(LanesAgreement, RecurrencesSideBySide) {
  agrees_in_lanes(
      "tensor a(n, m)\ntensor b(n, m)\ntensor y(n, m)\ny(0,c) = b(0,c)\ny(i,c) = a(i,c) * y(i-1,c) + b(i,c) : i >= 1\n",
      {{{"n", 0}, {"m", 5}}, {{"n", 3}, {"m", 0}}, {{"n", 1}, {"m", 1}}, {{"n", 17}, {"m", 145}}});
}

} // namespace
} // namespace cyclotron::fuzz
