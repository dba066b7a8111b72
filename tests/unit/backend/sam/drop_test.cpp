// SPDX-License-Identifier: MIT
// Droppers, holders, and reducers of order 1 and more.
#include "bench.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

Texts dropped(const std::string& outer, const std::string& inner) {
  return through({outer, inner}, "cc", [](Unit& unit) { return drop_coordinates(unit, false, ValueType::f64); });
}

TEST(DropStops, OneTokenACycle) {
  EXPECT_EQ(through({"1 S0 2 S1 D"}, "c", [](Unit& unit) { return drop_stops(unit); })[0], "0:1 2:2 4:D");
}

TEST(DropCoordinates, WithTheStopOfTheirFiber) {
  EXPECT_EQ(dropped("0 1 2 S0 D", "5 6 S0 S0 7 S1 D"), (Texts{"2:0 5:2 6:S0 7:D", "0:5 1:6 2:S0 3:S0 4:7 5:S1 7:D"}));
}

TEST(DropCoordinates, AnEmptyOuterFiberTakesTheInnerStop) {
  EXPECT_EQ(dropped("0 S0 S0 1 S1 D", "5 S1 S1 6 S2 D"),
            (Texts{"1:0 2:S0 3:S0 5:1 6:S1 7:D", "0:5 1:S1 3:S1 4:6 5:S2 7:D"}));
}

// `N` stands for a value, zero: the coordinate above it stays, as the value does.
TEST(DropCoordinates, NothingKeepsItsPlace) { EXPECT_EQ(dropped("0 1 S0 D", "N S0 5 S1 D")[0], "1:0 3:1 4:S0 5:D"); }

TEST(DropCoordinates, ZerosCanCountAsNothing) {
  EXPECT_EQ(through({"0 1 S0 D", "1.5 S0 0.0 S1 D"}, "cv",
                    [](Unit& unit) { return drop_coordinates(unit, true, ValueType::f64); }),
            (Texts{"1:0 4:S0 5:D", "0:1.5 1:S0 3:S1 5:D"}));
}

TEST(DropCoordinates, OtherShapesAreAnError) {
  EXPECT_THROW(dropped("0 S0 D", "5 S0 6 S1 D"), Fault);
  EXPECT_THROW(dropped("0 1 S0 D", "5 S1 D"), Fault);
}

TEST(Hold, TheOuterStreamLagsByACycle) {
  Bench bench;
  Unit& inner = bench.add("inner", 1, 2);
  Unit& outer = bench.add("outer", 2, 1);
  bench.feed(outer, 0, "0 1 S0 D");
  bench.feed(inner, 0, "5 6 S0 7 S1 D");
  bench.wire(inner, 1, outer, 1);
  bench.collect(inner, 0);
  bench.collect(outer, 0);
  bench.start(inner, hold(inner));
  bench.start(outer, repeat(outer));
  bench.run();
  EXPECT_EQ(bench.seen(inner, 0), "0:5 1:6 2:S0 3:7 4:S1 5:D");
  EXPECT_EQ(bench.seen(outer, 0), "1:0 2:0 3:S0 4:1 5:S1 6:D");
}

// Points without stops, as they are behind the droppers.
Texts accumulated(const Texts& crds, const std::string& values, std::size_t outer, ValueType type = ValueType::f64) {
  Bench bench;
  const std::size_t levels = crds.size();
  Unit& gather = bench.add("gather", levels + 1, 0);
  Unit& coordinates = bench.add("coordinates", 0, levels);
  Unit& numbers = bench.add("values", 0, 1);
  for (std::size_t l = 0; l < levels; ++l) bench.feed(gather, l, crds[l]);
  bench.feed(gather, levels, values);
  auto& to_values = bench.at_once<std::shared_ptr<const Group>>(gather, numbers);
  auto& to_coordinates = bench.at_once<std::shared_ptr<const Group>>(gather, coordinates);
  for (std::size_t l = 0; l < levels; ++l) bench.collect(coordinates, l);
  bench.collect(numbers, 0);
  const Combination sum = {recurrence::Reducer::sum, type};
  bench.start(gather, accumulate(gather, outer, levels - outer, sum, to_values, to_coordinates));
  bench.start(numbers, put_values(numbers, to_values));
  bench.start(coordinates, put_coordinates(coordinates, to_coordinates));
  bench.run();
  Texts seen;
  for (std::size_t l = 0; l < levels; ++l) seen.push_back(bench.seen(coordinates, l));
  seen.push_back(bench.seen(numbers, 0, tensor::is_float(type)));
  return seen;
}

TEST(Accumulate, RowsComeOutWhileTheNextIsGathered) {
  EXPECT_EQ(accumulated({"0 0 0 2 D", "3 1 3 5 D"}, "1.0 2.0 3.0 4.0 D", 1),
            (Texts{"3:0 6:2 7:S0 8:D", "3:1 4:3 5:S0 6:5 7:S1 8:D", "3:2 4:4 5:4 6:D"}));
}

TEST(Accumulate, AMatrixComesOutAtTheEnd) {
  EXPECT_EQ(accumulated({"0 0 0 2 D", "3 1 3 5 D"}, "1.0 2.0 3.0 4.0 D", 0),
            (Texts{"4:0 7:2 8:S0 9:D", "4:1 5:3 6:S0 7:5 8:S1 9:D", "4:2 5:4 6:4 7:D"}));
}

TEST(Accumulate, AVectorAlone) {
  EXPECT_EQ(accumulated({"3 1 3 D"}, "1.0 2.0 3.0 D", 0), (Texts{"3:1 4:3 5:S0 6:D", "3:2 4:4 5:D"}));
}

TEST(Accumulate, ThreeLevels) {
  EXPECT_EQ(accumulated({"0 0 0 1 D", "0 0 2 2 D", "1 0 5 5 D"}, "1.0 2.0 3.0 4.0 D", 0),
            (Texts{"4:0 9:1 10:S0 11:D", "4:0 7:2 8:S0 9:2 10:S1 11:D", "4:0 5:1 6:S0 7:5 8:S1 9:5 10:S2 11:D",
                   "4:2 5:1 6:3 7:4 8:D"}));
}

TEST(Accumulate, NoPointsGiveNothing) {
  EXPECT_EQ(accumulated({"D", "D"}, "D", 1), (Texts{"0:D", "0:D", "0:D"}));
  EXPECT_EQ(accumulated({"D", "D"}, "D", 0), (Texts{"0:D", "0:D", "0:D"}));
}

TEST(Accumulate, ARowThatComesAgainIsAnotherRow) {
  EXPECT_EQ(accumulated({"0 1 0 D", "1 1 1 D"}, "1.0 2.0 1.0 D", 1),
            (Texts{"1:0 3:1 5:0 6:S0 7:D", "1:1 2:S0 3:1 4:S0 5:1 6:S1 7:D", "1:1 2:2 3:1 4:D"}));
}

TEST(Accumulate, ManyPointsAreCombinedOnTheWay) {
  std::string crds, values;
  for (int i = 0; i < 5000; ++i) {
    crds += i % 2 == 0 ? "1 " : "0 ";
    values += "1 ";
  }
  EXPECT_EQ(accumulated({crds + "D"}, values + "D", 0, ValueType::i64),
            (Texts{"5000:0 5001:1 5002:S0 5003:D", "5000:2500 5001:2500 5002:D"}));
}

} // namespace
} // namespace cyclotron::sam
