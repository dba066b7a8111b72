// SPDX-License-Identifier: MIT
// The clock of `--time-passes`: whose time is whose.
#include "support/pass_clock.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <thread>

namespace cyclotron {
namespace {

using namespace std::chrono_literals;

// At least so long.
void work(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

std::map<std::string, PassClock::Row> by_name(const PassClock& clock) {
  std::map<std::string, PassClock::Row> rows;
  for (const PassClock::Row& r : clock.rows()) rows[r.name] = r;
  return rows;
}

TEST(PassClock, APassHasNotTheTimeOfThoseInsideIt) {
  const PassClock clock;
  {
    const TimedPass outer("outer");
    work(10ms);
    const TimedPass inner("inner");
    work(50ms);
  }
  const auto rows = by_name(clock);
  EXPECT_GE(rows.at("outer").seconds, 0.010);
  EXPECT_GE(rows.at("inner").seconds, 0.050);
  double sum = 0;
  for (const auto& [name, row] : rows) sum += row.seconds;
  EXPECT_LE(sum, clock.total_seconds()); // nothing was counted twice
}

TEST(PassClock, RunsOfOneNameAreAddedUp) {
  const PassClock clock;
  for (int i = 0; i < 3; ++i) {
    const TimedPass again("again");
    work(5ms);
  }
  const PassClock::Row row = by_name(clock).at("again");
  EXPECT_EQ(row.runs, 3);
  EXPECT_GE(row.seconds, 0.015);
}

TEST(PassClock, WhatNoPassCoversIsOnlyInTheTotal) {
  const PassClock clock;
  double before = 0;
  for (const PassClock::Row& r : clock.rows()) before += r.seconds;
  work(20ms);
  { const TimedPass pass("pass"); }
  double sum = 0;
  for (const PassClock::Row& r : clock.rows()) sum += r.seconds;
  EXPECT_LT(sum, before + 0.020);
  EXPECT_GE(clock.total_seconds(), before + 0.020);
}

TEST(PassClock, TheTimeInIslBelongsToThePassThatAsked) {
  const PassClock clock;
  {
    const TimedPass asking("asking");
    work(5ms);
    const InsideIsl inside;
    work(10ms);
    const InsideIsl once_more; // isl calls us, and we ask isl
    work(10ms);
  }
  { const TimedPass other("other"); }
  const auto rows = by_name(clock);
  EXPECT_GE(rows.at("asking").isl_seconds, 0.020);
  EXPECT_LE(rows.at("asking").isl_seconds, rows.at("asking").seconds - 0.005);
  EXPECT_EQ(rows.at("other").isl_seconds, 0);
}

TEST(PassClock, OtherThreadsAndThoseWithoutAClockAreNotCounted) {
  const TimedPass nobody("nobody");
  const InsideIsl unheard;
  const PassClock clock;
  std::thread([] {
    const TimedPass elsewhere("elsewhere");
    const InsideIsl inside;
  }).join();
  EXPECT_EQ(clock.rows().size(), 1u); // the start
}

TEST(PassClock, TheTableNamesRunsAboveOneAndEndsWithTheTotal) {
  const PassClock clock;
  { const TimedPass once("once"); }
  for (int i = 0; i < 2; ++i) {
    const TimedPass twice("twice");
  }
  const std::string table = clock.table();
  EXPECT_EQ(table.rfind("pass ", 0), 0u) << table;
  EXPECT_NE(table.find("\nonce                           "), std::string::npos) << table;
  EXPECT_NE(table.find("\ntwice                        2 "), std::string::npos) << table;
  EXPECT_NE(table.find("\ntotal "), std::string::npos) << table;
}

} // namespace
} // namespace cyclotron
