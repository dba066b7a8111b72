// SPDX-License-Identifier: MIT
// Blocks that look coordinates up, compute with them, and choose among them.
#include "bench.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

using recurrence::Relation;
using tensor::LevelKind;

Texts located(const tensor::Level& level, std::int64_t parents) {
  return through({"0 2 5 S0 1 3 S0 S1 D", "10 12 15 S0 21 23 S0 S1 D", "0 0 0 S0 2 N S0 S1 D"}, "ccc",
                 [&](Unit& unit) { return locate(unit, level, parents); });
}

TEST(Locate, InACompressedLevel) {
  const tensor::Level level = {
      .kind = LevelKind::compressed, .size = 6, .positions = {0, 2, 2, 4}, .coordinates = {0, 5, 1, 4}, .bits = {}};
  EXPECT_EQ(located(level, 3), (Texts{"0:0 2:5 3:S0 4:1 6:S0 7:S1 8:D", "0:10 2:15 3:S0 4:21 6:S0 7:S1 8:D",
                                      "0:0 2:1 3:S0 4:2 6:S0 7:S1 8:D"}));
  EXPECT_THROW(located(level, 2), Fault);
}

TEST(Locate, InADenseLevel) {
  const tensor::Level level = {.kind = LevelKind::dense, .size = 6, .positions = {}, .coordinates = {}, .bits = {}};
  EXPECT_EQ(located(level, -1)[2], "0:0 1:2 2:5 3:S0 4:13 6:S0 7:S1 8:D");
}

TEST(Locate, InALevelOfBits) {
  const tensor::Level level = {.kind = LevelKind::bitvector,
                               .size = 6,
                               .positions = {0, 2, 2, 4},
                               .coordinates = {},
                               .bits = {0b100001, 0, 0b10010}};
  EXPECT_EQ(located(level, 3)[2], "0:0 2:1 3:S0 4:2 6:S0 7:S1 8:D");
}

TEST(CoordinatesAsValues, AreOfTheTypeAskedFor) {
  EXPECT_EQ(through({"3 N S0 D"}, "v", [](Unit& unit) { return coordinates_as_values(unit, ValueType::f64); })[0],
            "0:3 1:0 2:S0 3:D");
  EXPECT_EQ(through({"3 N S0 D"}, "c", [](Unit& unit) { return coordinates_as_values(unit, ValueType::i32); })[0],
            "0:3 1:0 2:S0 3:D");
}

TEST(Mask, KeepsWhatSatisfiesTheCondition) {
  const Condition below = {1, 0, {-1}, Relation::less}; // c < the coordinate above
  EXPECT_EQ(through({"0 1 2 S0 0 3 S1 D", "5 6 7 S0 8 9 S1 D", "1 1 1 S0 3 3 S1 D"}, "cc",
                    [&](Unit& unit) { return mask_coordinates(unit, below); }),
            (Texts{"0:0 3:S0 4:0 6:S1 7:D", "0:5 3:S0 4:8 6:S1 7:D"}));
  const Condition exactly = {2, -4, {}, Relation::equal};
  EXPECT_EQ(through({"0 1 2 S0 D"}, "c", [&](Unit& unit) { return mask_coordinates(unit, exactly); })[0],
            "2:2 3:S0 4:D");
}

TEST(WritePoints, DropsStopsAndKeepsPointsInTheirOrder) {
  Written written;
  through({"1 0 S0 1 S1 D", "2 2 S0 0 S1 D", "1.5 2.5 3.5 D"}, "",
          [&](Unit& unit) { return write_points(unit, written); });
  EXPECT_EQ(written.coordinates, (std::vector<std::int64_t>{1, 2, 0, 2, 1, 0}));
  ASSERT_EQ(written.values.size(), 3U);
  EXPECT_EQ(written.values[2].real, 3.5);
  EXPECT_THROW(through({"1 D", "1.5 2.5 D"}, "", [&](Unit& unit) { return write_points(unit, written); }), Fault);
}

} // namespace
} // namespace cyclotron::sam
