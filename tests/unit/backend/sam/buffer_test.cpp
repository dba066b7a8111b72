// SPDX-License-Identifier: MIT
// Finite memories: what is read when, and what makes room.
#include "bench.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

// The fibers 0 to 3 have 10, 20, 30 and 40 bytes; 10 bytes a cycle are read, after 2 cycles.
Buffer memory(std::int64_t bytes, int levels = 1) { return {bytes, 10, 2, levels, {10, 20, 30, 40}}; }

std::string passed(const Buffer& memory, const std::string& references, const std::string& used, BufferCounts& counts) {
  return through({references, used}, "r", [&](Unit& unit) { return buffer(unit, memory, counts); })[0];
}

TEST(Buffer, AReferencePassesWhenItsFiberIsThere) {
  BufferCounts counts;
  // 2 + 1 cycles for the first, 2 + 2 for the second, which begins when the first is there.
  EXPECT_EQ(passed(memory(100), "0 1 S0 D", "S0 S1 D", counts), "3:0 7:1 8:S0 9:D");
  EXPECT_EQ(counts.asked, 2);
  EXPECT_EQ(counts.reads, 2);
  EXPECT_EQ(counts.bytes, 30);
}

TEST(Buffer, WhatIsThereIsNotReadAgain) {
  BufferCounts counts;
  EXPECT_EQ(passed(memory(100), "1 1 N 1 S0 D", "S0 S0 S0 S1 D", counts), "4:1 5:1 6:N 7:1 8:S0 9:D");
  EXPECT_EQ(counts.asked, 3);
  EXPECT_EQ(counts.reads, 1);
}

TEST(Buffer, AFiberInUseStays) {
  BufferCounts counts;
  // In 50 bytes there is room for both. In 60, number 3 needs that of the numbers 0 and 2, used until cycle 70.
  EXPECT_EQ(passed(memory(50), "0 2 0 S0 D", "S0@50 S0 S1 D", counts), "3:0 8:2 9:0 10:S0 11:D");
  EXPECT_EQ(counts.reads, 2);
  counts = {};
  EXPECT_EQ(passed(memory(60), "0 2 1 3 S0 D", "S0@50 S0@70 S0 S1 D", counts), "3:0 8:2 12:1 76:3 77:S0 78:D");
  EXPECT_EQ(counts.reads, 4);
}

TEST(Buffer, TheOneThatNobodyUsedForTheLongestTimeMakesRoom) {
  BufferCounts counts;
  // Number 3 takes the room of number 1, which ends before number 0 does.
  passed(memory(70), "1 0 S0 3 S0 0 S0 D", "S0@1 S0@2 S0@60 S1 D", counts);
  EXPECT_EQ(counts.asked, 4);
  EXPECT_EQ(counts.reads, 3);
}

TEST(Buffer, OnlyStopsThatCloseAllLevelsEndAFiber) {
  BufferCounts counts;
  EXPECT_EQ(passed(memory(50, 2), "0 0 S0 3 S0 D", "S0@20 S1@30 S0@40 S1@50 S0@60 S1 D", counts),
            "3:0 4:0 5:S0 9:3 10:S0 11:D"); // both fit
  EXPECT_EQ(passed(memory(45, 2), "0 0 S0 3 S0 D", "S0@20 S1@30 S0@40 S1@50 S0@60 S1 D", counts),
            "3:0 4:0 5:S0 56:3 57:S0 58:D");
}

TEST(Buffer, TheNextFiberMustFitBesideTheOneInUse) {
  BufferCounts counts;
  EXPECT_THROW(passed(memory(35), "3 S0 D", "S1 D", counts), Fault);
  EXPECT_THROW(passed(memory(45), "0 3 S0 D", "S0 S1 D", counts), Fault);
  // Where a stop comes between, the one before can end first.
  EXPECT_EQ(passed(memory(45), "0 S0 3 S0 D", "S0@9 S1 D", counts), "3:0 4:S0 15:3 16:S0 17:D");
}

TEST(Buffer, AFiberOutOfRangeIsAnError) {
  BufferCounts counts;
  EXPECT_THROW(passed(memory(100), "4 S0 D", "S1 D", counts), Fault);
}

} // namespace
} // namespace cyclotron::sam
