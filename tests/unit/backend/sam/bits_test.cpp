// SPDX-License-Identifier: MIT
// Words of bits, splits of a level, and copies.
#include "bench.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

const tensor::Level level = {
    .kind = tensor::LevelKind::bitvector, .size = 4, .positions = {0, 2, 4, 5}, .coordinates = {}, .bits = {5, 3, 8}};

TEST(ScanBits, AWordAFiberWithTheReferenceOfItsFirstBit) {
  EXPECT_EQ(through({"0 1 2 S0 D"}, "cc", [](Unit& unit) { return scan_bits(unit, level); }),
            (Texts{"0:5 1:S0 2:3 3:S0 4:8 5:S1 6:D", "0:0 1:S0 2:2 3:S0 4:4 5:S1 6:D"}));
}

TEST(ScanBits, SeveralWordsAFiber) {
  const tensor::Level wide = {.kind = tensor::LevelKind::bitvector,
                              .size = 70,
                              .positions = {0, 2, 3},
                              .coordinates = {},
                              .bits = {4, 1, 0, 2}};
  EXPECT_EQ(through({"0 1 S0 D"}, "cc", [&](Unit& unit) { return scan_bits(unit, wide); }),
            (Texts{"0:4 1:1 2:S0 3:0 4:2 5:S1 6:D", "0:0 1:1 2:S0 3:2 4:2 5:S1 6:D"}));
}

TEST(ConvertToBits, EveryFiberInWords) {
  Bench bench;
  Unit& collect = bench.add("collect", 1, 0);
  Unit& words = bench.add("words", 0, 2);
  bench.feed(collect, 0, "0 2 5 7 S0 S0 1 S1 D");
  Fibers& fibers = bench.later<BitFiber>(collect, words);
  bench.collect(words, 0);
  bench.collect(words, 1);
  bench.start(collect, collect_bits(collect, 4, 8, fibers));
  bench.start(words, put_bits(words, fibers));
  bench.run();
  EXPECT_EQ(bench.seen(words, 0), "5:5 6:10 7:S0 8:S0 9:2 10:0 11:S1 12:D");
  EXPECT_EQ(bench.seen(words, 1), "5:0 6:2 7:S0 8:S0 9:4 10:5 11:S1 12:D");
}

TEST(JoinBits, TheIntersectionHasAReferenceABit) {
  EXPECT_EQ(through({"7 0 S0 D", "0 3 S0 D", "13 1 S0 D", "0 3 S0 D"}, "ccc",
                    [](Unit& unit) { return join_bits(unit, Join::intersection); }),
            (Texts{"0:5 2:0 3:S0 4:D", "0:0 1:2 3:S0 4:D", "0:0 1:1 3:S0 4:D"}));
}

TEST(JoinBits, TheUnionHasNothingWhereASideHasNoBit) {
  EXPECT_EQ(through({"1 S0 D", "7 S0 D", "3 S0 D", "9 S0 D"}, "ccc",
                    [](Unit& unit) { return join_bits(unit, Join::united); }),
            (Texts{"0:3 2:S0 3:D", "0:7 1:N 2:S0 3:D", "0:9 1:10 2:S0 3:D"}));
}

TEST(JoinBits, FibersWithoutWordsAreZeros) {
  EXPECT_EQ(through({"S0 N S1 D", "S0 N S1 D", "1 2 S0 4 S1 D", "0 1 S0 2 S1 D"}, "ccc",
                    [](Unit& unit) { return join_bits(unit, Join::united); }),
            (Texts{"0:1 1:2 2:S0 3:4 4:S1 5:D", "0:N 1:N 2:S0 3:N 4:S1 5:D", "0:0 1:1 2:S0 3:2 4:S1 5:D"}));
}

TEST(ExpandBits, OneCoordinateACycle) {
  EXPECT_EQ(
      through({"5 0 2 S0 1 S1 D", "3 5 5 S0 6 S1 D"}, "cc", [](Unit& unit) { return expand_bits(unit, 4, false); }),
      (Texts{"0:0 1:2 3:9 4:S0 5:0 6:S1 7:D", "0:3 1:4 3:5 4:S0 5:6 6:S1 7:D"}));
  EXPECT_EQ(through({"5 0 S0 D", "3 9 S0 D"}, "cc", [](Unit& unit) { return expand_bits(unit, 4, true); }),
            (Texts{"0:0 1:2 3:S0 4:D", "0:3 1:9 3:S0 4:D"}));
}

Texts bits_dropped(const std::string& outer, const std::string& inner) {
  Bench bench;
  Unit& both = bench.add("inner", 1, 2);
  Unit& clear = bench.add("clear", 2, 1);
  Unit& above = bench.add("outer fibers", 1, 1);
  Unit& below = bench.add("inner fibers", 1, 1);
  engine::ChannelOptions at_once;
  at_once.latency = 0;
  bench.feed(clear, 0, outer);
  bench.feed(both, 0, inner);
  bench.wire(both, 0, clear, 1, at_once);
  bench.wire(both, 1, below, 0, at_once);
  bench.wire(clear, 0, above, 0, at_once);
  bench.collect(above, 0);
  bench.collect(below, 0);
  bench.start(both, pass_twice(both));
  bench.start(clear, clear_bits(clear, false));
  bench.start(above, drop_empty_fibers(above));
  bench.start(below, drop_empty_fibers(below));
  bench.run();
  return {bench.seen(above, 0), bench.seen(below, 0)};
}

TEST(DropBits, ClearsThoseWithNothingBelow) {
  EXPECT_EQ(bits_dropped("5 S0 3 S1 D", "7 S0 S1 S0 9 S2 D"),
            (Texts{"2:1 6:S0 7:2 9:S1 10:D", "0:7 4:S1 5:9 7:S2 8:D"}));
  EXPECT_EQ(bits_dropped("7 S0 D", "4 S0 S0 1 S1 D"), (Texts{"4:5 6:S0 7:D", "0:4 3:S0 4:1 6:S1 7:D"}));
  EXPECT_EQ(bits_dropped("1 S0 2 S1 D", "S1 6 S2 D"), (Texts{"3:2 5:S1 6:D", "1:6 3:S2 4:D"}));
}

TEST(DropBits, AWordOfZerosIsNothing) { EXPECT_EQ(bits_dropped("3 S0 D", "0 S0 1 S1 D")[0], "3:2 5:S0 6:D"); }

TEST(WriteBits, TheirPlacesAreCoordinates) {
  Written written;
  through({"5 2 S0 0 1 S0 S1 D"}, "", [&](Unit& unit) { return write_bits(unit, written, 4, false); });
  EXPECT_EQ(written.coordinates, (std::vector<std::int64_t>{0, 2, 5, 4}));
  EXPECT_EQ(written.ends, (std::vector<std::int64_t>{3, 4, 4}));
}

TEST(Split, ANewQuotientTakesACycleMore) {
  EXPECT_EQ(through({"0 1 5 9 S0 D"}, "cc", [](Unit& unit) { return split(unit, 4); }),
            (Texts{"0:0 3:1 5:2 6:S0 7:D", "0:0 1:1 2:S0 3:1 4:S0 5:1 6:S1 7:D"}));
  EXPECT_EQ(through({"0 S0 1 S0 S1 D"}, "cc", [](Unit& unit) { return split(unit, 4); }),
            (Texts{"0:0 1:S0 2:0 3:S0 4:S1 5:D", "0:0 1:S1 2:1 3:S1 4:S2h1 5:D"}));
}

TEST(Flatten, UndoesASplit) {
  EXPECT_EQ(through({"0 1 2 S0 S1 D", "0 1 S0 1 S0 1 S1 S2h1 D"}, "c", [](Unit& unit) { return flatten(unit, 4); })[0],
            "0:0 1:1 3:5 5:9 6:S0 7:S1 8:D");
  EXPECT_THROW(through({"0 S0 D", "1 S0 D"}, "c", [](Unit& unit) { return flatten(unit, 4); }), Fault);
}

TEST(Copies, ElementsInTurnAndStopsOnAll) {
  EXPECT_EQ(through({"1 2 3 S0 4 S1 D"}, "cc", [](Unit& unit) { return parallelize(unit); }),
            (Texts{"0:1 2:3 3:S0 4:4 5:S1 6:D", "1:2 3:S0 5:S1 6:D"}));
  EXPECT_EQ(through({"1 3 S0 4 S1 D", "2 S0 S1 D"}, "c", [](Unit& unit) { return serialize(unit); })[0],
            "0:1 1:2 2:3 3:S0 4:4 5:S1 6:D");
  EXPECT_THROW(through({"1 S0 D", "2 S1 D"}, "c", [](Unit& unit) { return serialize(unit); }), Fault);
}

} // namespace
} // namespace cyclotron::sam
