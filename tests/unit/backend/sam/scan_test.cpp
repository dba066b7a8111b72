// SPDX-License-Identifier: MIT
// Scanners and repeaters, token for token and cycle for cycle as in the published simulator where that runs.
#include "bench.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

// Fibers {0,2,5}, {} and {1,4}.
const tensor::Level level = {.kind = tensor::LevelKind::compressed,
                             .size = 6,
                             .positions = {0, 3, 3, 5},
                             .coordinates = {0, 2, 5, 1, 4},
                             .bits = {}};

Texts scan(const std::string& refs) {
  return through({refs}, "cc", [](Unit& unit) { return scan_compressed(unit, level); });
}
Texts scan_three(const std::string& refs) {
  return through({refs}, "cc", [](Unit& unit) { return scan_dense(unit, 3, -1); });
}
std::string repeated(const std::string& refs, const std::string& signals) {
  return through({refs, signals}, "c", [](Unit& unit) { return repeat(unit); })[0];
}

TEST(Scan, EveryFiberWithItsStop) {
  EXPECT_EQ(scan("0 1 2 S0 D"),
            (Texts{"0:0 1:2 2:5 3:S0 4:S0 5:1 6:4 7:S1 8:D", "0:0 1:1 2:2 3:S0 4:S0 5:3 6:4 7:S1 8:D"}));
}

TEST(Scan, AllButTheFirstCoordinateWaitForTheNextParent) {
  EXPECT_EQ(scan("0@0 1@10 2 S0 D")[0], "0:0 10:2 11:5 12:S0 13:S0 14:1 15:4 16:S1 17:D");
}

TEST(Scan, NothingIsAFiberOfNothing) { EXPECT_EQ(scan("0 N 2 S0 D")[0], "0:0 1:2 2:5 3:S0 4:N 5:S0 6:1 7:4 8:S1 9:D"); }

TEST(Scan, AnEmptyFiberAboveIsHollow) {
  EXPECT_EQ(scan("0 S0 S0 2 S1 D")[0], "0:0 1:2 2:5 3:S1 4:S1h1 5:1 6:4 7:S2 8:D");
  EXPECT_EQ(scan("S1h1 S2 D")[0], "0:S2h2 1:S3h1 2:D");
}

TEST(Scan, AReferenceOutOfRangeIsAnError) {
  try {
    scan("7 D");
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_STREQ(fault.what(), "block has 3 fibers, but was asked for number 7, in cycle 0");
  }
}

TEST(ScanDense, DoesNotWaitForTheNextParent) {
  EXPECT_EQ(scan_three("0 1 S0 D"),
            (Texts{"0:0 1:1 2:2 3:S0 4:0 5:1 6:2 7:S1 8:D", "0:0 1:1 2:2 3:S0 4:3 5:4 6:5 7:S1 8:D"}));
  EXPECT_EQ(scan_three("0@0 1@10 S0 D")[0], "0:0 1:1 2:2 10:S0 11:0 12:1 13:2 14:S1 15:D");
}

TEST(ScanDense, EmptyFibersAndNothingAreAsWithCompressedLevels) {
  EXPECT_EQ(scan_three("0 S0 S0 1 S1 D")[0], "0:0 1:1 2:2 3:S1 4:S1h1 5:0 6:1 7:2 8:S2 9:D");
  EXPECT_EQ(scan_three("0 N S0 D")[0], "0:0 1:1 2:2 3:S0 4:N 5:S1 6:D");
}

TEST(ScanDense, NoCoordinatesGiveTheStop) {
  EXPECT_EQ(through({"0 1 S0 D"}, "cc", [](Unit& unit) { return scan_dense(unit, 0, -1); })[0], "1:S0 2:S1 3:D");
}

TEST(RepeatSignals, OneATokenWhateverTheLevel) {
  EXPECT_EQ(through({"0 1 N S0 S1 D"}, "c", [](Unit& unit) { return make_signals(unit); })[0],
            "0:0 1:0 2:0 3:S0 4:S0 5:D");
}

TEST(Repeat, OnceASignalAndAStopAFiber) {
  EXPECT_EQ(repeated("5 6 S0 D", "0 0 S0 0 S0 D"), "0:5 1:5 2:S0 3:6 4:S1 5:D");
  EXPECT_EQ(repeated("5 6 S0 D", "S0 0 S0 D"), "1:S0 2:6 3:S1 4:D");
  EXPECT_EQ(repeated("0 D", "0 0 S0 D"), "0:0 1:0 2:S0 3:D");
  EXPECT_EQ(repeated("N 5 S0 D", "0 S0 0 S0 D"), "0:N 1:S0 2:5 3:S1 4:D");
}

TEST(Repeat, AnEmptyFiberAboveIsHollow) { EXPECT_EQ(repeated("5 S0 S1 D", "0 S0 S0 D"), "0:5 1:S1 2:S2h1 3:D"); }

TEST(Repeat, MayWaitForItsFirstReference) { EXPECT_EQ(repeated("5@3 S0 D", "0 0 S0 D"), "3:5 4:5 5:S1 6:D"); }

TEST(Repeat, OtherShapesAreAnError) {
  EXPECT_THROW(repeated("5 S0 D", "0 S0 0 S0 D"), Fault);
  EXPECT_THROW(repeated("5 6 S0 D", "0 S0 D"), Fault);
  EXPECT_THROW(repeated("5 S0 D", "0 S0"), std::runtime_error);
}

} // namespace
} // namespace cyclotron::sam
