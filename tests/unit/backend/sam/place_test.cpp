// SPDX-License-Identifier: MIT
// Places that are computed from coordinates, and elements that are looked up there.
#include "bench.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

using tensor::LevelKind;

TEST(Place, IsAffineInTheCoordinates) {
  const Place place = {-1, {2, 3}};
  EXPECT_EQ(through({"0 1 S0 2 N S1 D", "5 5 S0 0 0 S1 D"}, "c",
                    [&](Unit& unit) { return place_coordinates(unit, place); })[0],
            "0:14 1:16 2:S0 3:3 4:N 5:S1 6:D");
  const Place constant = {7, {0}}; // one for each coordinate
  EXPECT_EQ(through({"4 9 S0 D"}, "c", [&](Unit& unit) { return place_coordinates(unit, constant); })[0],
            "0:7 1:7 2:S0 3:D");
}

TEST(Place, NeedsStreamsOfOneShape) {
  const Place place = {0, {1, 1}};
  const auto run = [&](const std::string& second) {
    return through({"0 1 S0 D", second}, "c", [&](Unit& unit) { return place_coordinates(unit, place); });
  };
  EXPECT_THROW(run("0 S0 D"), Fault);
  EXPECT_THROW(run("0 1 S1 D"), Fault);
  EXPECT_THROW(run("0 1 2 S0 D"), Fault);
}

// The second of two coordinates, plus 1, in the fibers 0, 0, 0 and then 2, none, 2.
std::string looked_up(const tensor::Level& level, std::int64_t parents) {
  const Place place = {1, {1}};
  return through({"0 0 0 S0 2 N 2 S1 D", "-1 2 4 S0 0 3 5 S1 D"}, "c",
                 [&](Unit& unit) { return look_up(unit, level, parents, place); })[0];
}

TEST(Lookup, InACompressedLevel) {
  const tensor::Level level = {
      .kind = LevelKind::compressed, .size = 6, .positions = {0, 2, 2, 4}, .coordinates = {0, 5, 1, 4}, .bits = {}};
  EXPECT_EQ(looked_up(level, 3), "0:0 1:N 2:1 3:S0 4:2 5:N 6:N 7:S1 8:D");
  EXPECT_THROW(looked_up(level, 2), Fault);
}

TEST(Lookup, InADenseLevelEndsWhereItDoes) {
  const tensor::Level level = {.kind = LevelKind::dense, .size = 6, .positions = {}, .coordinates = {}, .bits = {}};
  EXPECT_EQ(looked_up(level, 3), "0:0 1:3 2:5 3:S0 4:13 5:N 6:N 7:S1 8:D");
  const Place before = {-3, {1}};
  EXPECT_EQ(through({"1 1 S0 D", "2 3 S0 D"}, "c", [&](Unit& unit) { return look_up(unit, level, 2, before); })[0],
            "0:N 1:6 2:S0 3:D");
}

TEST(Lookup, InALevelOfBits) {
  const tensor::Level level = {.kind = LevelKind::bitvector,
                               .size = 6,
                               .positions = {0, 2, 2, 4},
                               .coordinates = {},
                               .bits = {0b100001, 0, 0b10010}};
  EXPECT_EQ(looked_up(level, 3), "0:0 1:N 2:1 3:S0 4:2 5:N 6:N 7:S1 8:D");
}

TEST(Lookup, AtAConstantPlaceNeedsNoCoordinate) {
  const tensor::Level level = {.kind = LevelKind::dense, .size = 6, .positions = {}, .coordinates = {}, .bits = {}};
  EXPECT_EQ(through({"0 D"}, "c", [&](Unit& unit) { return look_up(unit, level, 1, {4, {}}); })[0], "0:4 1:D");
}

TEST(Lookup, WhatIsNotThereHasAnEmptyFiber) {
  const tensor::Level level = {
      .kind = LevelKind::compressed, .size = 4, .positions = {0, 2}, .coordinates = {1, 3}, .bits = {}};
  EXPECT_EQ(through({"N 0 N S0 D"}, "cc", [&](Unit& unit) { return scan_compressed(unit, level, false); })[0],
            "1:S0 2:1 3:3 4:S0 5:S1 6:D");
}

} // namespace
} // namespace cyclotron::sam
