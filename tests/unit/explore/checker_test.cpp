// SPDX-License-Identifier: MIT
// The checker says what is wrong with a point that was tampered with.
#include "unit/explore/small_sweep.hpp"

#include <gtest/gtest.h>

namespace cyclotron::explore {
namespace {

struct Planted : ::testing::Test {
  SmallSweep small{small_product};
  driver::ExploreChecker checker{small.sweep, small.expected};
  Point right = [&] {
    Choice choice;
    choice.mapping.space = {"i", "j"};
    choice.mapping.time = {"k"};
    choice.mapping.space_given = choice.mapping.time_given = true;
    driver::ExploreSolver solver(small.sweep);
    return solver.simulate(solver.compile({choice, lower::print(choice.mapping), ""}), 1, 2, 1);
  }();
};

TEST_F(Planted, WhatIsRightIsOk) {
  EXPECT_EQ(right.cycles, 22); // 2 * (3 + 3) + 4, and waits for room
  EXPECT_EQ(checker.verdict(right), "ok");
}

TEST_F(Planted, Costs) {
  Point p = right;
  p.cycles = 21;
  EXPECT_EQ(checker.verdict(p), "wrong: 21 cycles were claimed, 22 are right");
  p = right;
  p.pes = 9;
  EXPECT_EQ(checker.verdict(p), "wrong: 9 processing elements were claimed, 16 are right");
  p = right;
  p.messages += 1;
  EXPECT_EQ(checker.verdict(p), "wrong: 97 messages were claimed, 96 are right");
  p = right;
  p.parameters["latency"] = "1"; // another machine than it ran on
  EXPECT_EQ(checker.verdict(p), "wrong: 22 cycles were claimed, 13 are right");
}

TEST_F(Planted, ARefusalOfWhatRuns) {
  Point p = right;
  p.cycles.reset();
  p.verdict = "refused: the array stands still";
  EXPECT_EQ(checker.verdict(p), "wrong: it was refused, but takes 22 cycles");
}

TEST_F(Planted, ATextThatIsNotWhatRan) {
  Point p = right;
  p.parameters["schedule"] = "space i, j\ntime k\nbroadcast A along j\n";
  EXPECT_EQ(checker.verdict(p).rfind("wrong: 22 cycles were claimed, ", 0), 0U) << checker.verdict(p);
  p.parameters["schedule"] = "space i, q\n";
  EXPECT_EQ(checker.verdict(p).rfind("wrong: its text ", 0), 0U) << checker.verdict(p);
  p.parameters["schedule"] = "space i,\n";
  EXPECT_EQ(checker.verdict(p).rfind("wrong: its text is no schedule: ", 0), 0U) << checker.verdict(p);
}

TEST_F(Planted, Values) {
  small.expected.at("C").values = small.sweep.bindings.tensors.at("A").values;
  EXPECT_EQ(checker.verdict(right).rfind("wrong: `C(0,0)` is ", 0), 0U) << checker.verdict(right);
}

} // namespace
} // namespace cyclotron::explore
