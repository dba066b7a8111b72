// SPDX-License-Identifier: MIT
// Scanners that skip what their intersecter tells them to: when is as important as what.
#include "bench.hpp"

#include <gtest/gtest.h>

namespace cyclotron::sam {
namespace {

tensor::Level fiber(std::vector<std::int64_t> coordinates) {
  const auto count = static_cast<std::int64_t>(coordinates.size());
  return {.kind = tensor::LevelKind::compressed,
          .size = 100,
          .positions = {0, count},
          .coordinates = std::move(coordinates),
          .bits = {}};
}

TEST(Skip, JumpsToWhatTheOtherSideHas) {
  const tensor::Level many = fiber({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 50, 60}), few = fiber({8, 50});
  for (const std::uint64_t shuffle : {0, 1, 2, 3}) {
    Bench bench({.records = false, .shuffle = shuffle});
    Unit& a = bench.add("a", 2, 2);
    Unit& b = bench.add("b", 2, 2);
    Unit& both = bench.add("both", 4, 5);
    bench.feed(a, 0, "0 D");
    bench.feed(b, 0, "0 D");
    for (std::size_t port = 0; port < 2; ++port) {
      bench.wire(a, port, both, port);
      bench.wire(b, port, both, 2 + port);
    }
    bench.wire(both, 3, a, 1);
    bench.wire(both, 4, b, 1);
    for (std::size_t port = 0; port < 3; ++port) bench.collect(both, port);
    bench.collect(a, 0);
    bench.start(a, scan_skipping(a, many, bench.simulation()));
    bench.start(b, scan_skipping(b, few, bench.simulation()));
    bench.start(both, join(both, Join::intersection, 1, 1, true, true));
    EXPECT_FALSE(bench.run().deadlock);
    EXPECT_EQ(bench.seen(a, 0), "0:0 1:1 2:2 3:8 4:9 5:50 6:60 7:S0 8:D");
    EXPECT_EQ(bench.seen(both, 0), "5:8 7:50 9:S0 10:D");
    EXPECT_EQ(bench.seen(both, 1), "5:8 7:10 9:S0 10:D");
    EXPECT_EQ(bench.seen(both, 2), "5:0 7:1 9:S0 10:D");
  }
}

// It is told to go to the end of a fiber in the cycle in which it gets there by itself; the next fiber is whole.
TEST(Skip, IsNoUseOnceItsFiberHasEnded) {
  const tensor::Level level = fiber({1, 3});
  Bench bench;
  Unit& a = bench.add("a", 2, 2);
  bench.feed(a, 0, "0 0 S0 D");
  bench.feed(a, 1, "S0@2");
  bench.collect(a, 0);
  bench.collect(a, 1);
  bench.start(a, scan_skipping(a, level, bench.simulation()));
  bench.run();
  EXPECT_EQ(bench.seen(a, 0), "0:1 1:3 2:S0 3:1 4:3 5:S1 6:D");
}

TEST(Skip, AStreamWithoutItsEndIsADeadlockAndNoEndlessLoop) {
  const tensor::Level level = fiber({0, 1});
  Bench bench;
  Unit& a = bench.add("a", 2, 2);
  bench.feed(a, 0, "0 0");
  bench.feed(a, 1, "");
  bench.collect(a, 0);
  bench.collect(a, 1);
  bench.start(a, scan_skipping(a, level, bench.simulation()));
  EXPECT_TRUE(bench.run().deadlock);
}

} // namespace
} // namespace cyclotron::sam
