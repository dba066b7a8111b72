// SPDX-License-Identifier: MIT
// Joiners: their register stage, and what `N` is to them.
#include "bench.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

Texts joined(Join kind, const Texts& inputs, bool last = true) {
  return through(inputs, "ccc", [&](Unit& unit) { return join(unit, kind, 1, 1, last, true); });
}

TEST(Intersect, OneCycleToFillItsRegistersAndOneAStep) {
  EXPECT_EQ(joined(Join::intersection, {"0 2 3 S0 D", "0 20 30 S0 D", "1 2 4 S0 D", "10 20 40 S0 D"}),
            (Texts{"3:2 6:S0 7:D", "3:20 6:S0 7:D", "3:20 6:S0 7:D"}));
}

TEST(Intersect, StepsOnlyWhenBothSidesHaveMore) {
  EXPECT_EQ(joined(Join::intersection, {"0 2 3 S0 D", "0 20 30 S0 D", "1@4 2 4 S0 D", "10@4 20 40 S0 D"})[0],
            "7:2 10:S0 11:D");
}

TEST(Intersect, AnEmptyFiberIsItsStop) {
  EXPECT_EQ(
      joined(Join::intersection, {"1 S0 S0 2 S1 D", "10 S0 S0 20 S1 D", "1 S0 3 S0 2 S1 D", "10 S0 30 S0 20 S1 D"})[0],
      "1:1 2:S0 4:S0 5:2 6:S1 7:D");
}

TEST(Intersect, NothingAgainstACoordinateIsNothing) {
  EXPECT_EQ(joined(Join::intersection, {"1 N S0 D", "10 N S0 D", "1 2 S0 D", "10 20 S0 D"}),
            (Texts{"1:1 2:N 3:S0 4:D", "1:10 2:N 3:S0 4:D", "1:10 2:N 3:S0 4:D"}));
}

TEST(Intersect, NothingAgainstAStopTakesACycleAndIsGone) {
  EXPECT_EQ(joined(Join::intersection, {"N S0 D", "N S0 D", "S0 D", "S0 D"})[0], "2:S0 3:D");
}

TEST(Union, WhatOnlyOneSideHasComesWithNothingOfTheOther) {
  EXPECT_EQ(joined(Join::united, {"0 2 S0 D", "0 20 S0 D", "1 2 3 S0 D", "10 20 30 S0 D"}),
            (Texts{"1:0 2:1 3:2 4:3 5:S0 6:D", "1:0 2:N 3:20 4:N 5:S0 6:D", "1:N 2:10 3:20 4:30 5:S0 6:D"}));
}

TEST(Union, NothingAloneTakesACycleAndIsGone) {
  const Texts inputs = {"N S0 1 S1 D", "N S0 10 S1 D", "0 2 S0 1 S1 D", "0 20 S0 10 S1 D"};
  EXPECT_EQ(joined(Join::united, inputs)[0], "1:0 2:2 4:S0 5:1 6:S1 7:D");
  // In a chain of unions it goes on to the next one, as in the published model.
  EXPECT_EQ(joined(Join::united, inputs, false)[0], "1:0 2:2 3:N 4:S0 5:1 6:S1 7:D");
}

TEST(Union, NothingOnBothSidesIsNothing) {
  EXPECT_EQ(joined(Join::united, {"N S0 D", "N S0 D", "N S0 D", "N S0 D"})[0], "1:N 2:S0 3:D");
}

TEST(Join, HollowStopsStayHollow) {
  EXPECT_EQ(joined(Join::united, {"S1h1 D", "S1h1 D", "S1h1 D", "S1h1 D"})[2], "1:S1h1 2:D");
}

TEST(Join, SidesMayBringAnyNumberOfReferences) {
  EXPECT_EQ(through({"1 S0 D", "1 2 S0 D", "5 6 S0 D", "7 8 S0 D"}, "ccc",
                    [](Unit& unit) { return join(unit, Join::united, 0, 2, true, true); }),
            (Texts{"1:1 2:2 3:S0 4:D", "1:5 2:6 3:S0 4:D", "1:7 2:8 3:S0 4:D"}));
}

TEST(Join, OtherShapesAreAnError) {
  for (const Join kind : {Join::intersection, Join::united}) {
    EXPECT_THROW(joined(kind, {"1 S0 D", "1 S0 D", "1 S1 D", "1 S1 D"}), Fault);
    EXPECT_THROW(joined(kind, {"1 S0 D", "1 S0 D", "1 S0 2 S0 D", "1 S0 2 S0 D"}), Fault);
    EXPECT_THROW(joined(kind, {"1 S0 D", "1 2 S0 D", "1 S0 D", "1 S0 D"}), Fault); // references that do not belong
  }
}

} // namespace
} // namespace cyclotron::sam
