// SPDX-License-Identifier: MIT
#include "explore/summary.hpp"

#include <gtest/gtest.h>

namespace cyclotron::explore {
namespace {

Point made(std::int64_t cycles, std::int64_t pes, const std::string& family, std::int64_t messages = 0,
           const std::string& latency = "1") {
  Point p;
  p.parameters = {{"schedule", "space i\n"}, {"latency", latency}, {"fifo depth", "0"}};
  p.cycles = cycles;
  p.pes = pes;
  p.family = family;
  p.messages = messages;
  p.verdict = "ok";
  return p;
}

TEST(Summary, FrontLeavesOutWhatIsSlowerOnMorePes) {
  std::vector<Point> points{made(20, 4, "a", 9), made(20, 4, "b", 3), made(25, 8, "a"), made(10, 16, "a"),
                            made(5, 16, "a", 0, "2")};
  points.push_back(made(1, 1, "a"));
  points.back().verdict = "wrong: 1 cycles were claimed, 99 are right";
  const auto front = front_of(points, "1", "0");
  ASSERT_EQ(front.size(), 2U);
  EXPECT_EQ(front[0], &points[1]);
  EXPECT_EQ(front[1], &points[3]);
  const auto best = best_of_families(points, "1", "0");
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0], &points[3]);
  EXPECT_EQ(best[1], &points[1]);
}

TEST(Summary, EffectOfTheMachine) {
  EXPECT_EQ(
      print_machine_effect({made(10, 16, "a"), made(30, 4, "b"), made(18, 16, "a", 0, "2")}, {"1", "2"}, {"0", "4"}),
      "                                unbounded    depth 4\n"
      "  all               latency 1          10          -\n"
      "                    latency 2          18          -\n"
      "  a                 latency 1          10          -\n"
      "                    latency 2          18          -\n"
      "  b                 latency 1          30          -\n"
      "                    latency 2           -          -\n"
      "\nthe front as the machine changes: cycles on so many PEs\n"
      "  latency 1   unbounded   30 on 4  10 on 16\n"
      "  latency 1     depth 4 \n"
      "  latency 2   unbounded   18 on 16\n"
      "  latency 2     depth 4 \n");
}

TEST(Summary, LongNamesKeepTheirColumn) {
  EXPECT_EQ(print_machine_effect({made(10, 16, "B, C and D stationary")}, {"1", "1000"}, {"0"}),
            "                                        unbounded\n"
            "  all                    latency 1             10\n"
            "                         latency 1000           -\n"
            "  B, C and D stationary  latency 1             10\n"
            "                         latency 1000           -\n"
            "\n"
            "the front as the machine changes: cycles on so many PEs\n"
            "  latency 1   unbounded   10 on 16\n"
            "  latency 1000  unbounded \n");
}

TEST(Summary, RefusalsThatDifferInNamesAreOneReason) {
  std::vector<Point> points(3);
  points[0].verdict = "refused: `A` has no first processor";
  points[1].verdict = "refused: no order";
  points[2].verdict = "refused: `B` has no first processor";
  EXPECT_EQ(print_refusals(points, 1), "       2 x `A` has no first processor\n  and 1 other reasons\n");
}

} // namespace
} // namespace cyclotron::explore
