// SPDX-License-Identifier: MIT
// The words and the times of the line, by a clock of the test's own; then the real display, with threads that work.
#include "support/progress_line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <list>
#include <thread>

namespace cyclotron {
namespace {

using std::chrono::milliseconds;

ProgressTime at(double seconds) {
  return ProgressTime() + milliseconds(static_cast<std::int64_t>(std::llround(seconds * 1000)));
}

TEST(ProgressText, SaysWhatIsKnown) {
  EXPECT_EQ(progress_text("computing natively", {}, 0, 12.9), "computing natively (12 s)");
  EXPECT_EQ(progress_text("simulating", {0, "cycles"}, 0, 1), "simulating (1 s)");
  EXPECT_EQ(progress_text("simulating", {0, "cycles"}, 999'999, 61), "simulating: 999999 cycles (1 min 1 s)");
  EXPECT_EQ(progress_text("simulating", {0, "cycles"}, 1'250'000, 3'661), "simulating: 1.2 million cycles (1 h 1 min)");
  EXPECT_EQ(progress_text("simulating", {0, "cycles"}, 3'000'000'000, 59.9), "simulating: 3.0 billion cycles (59 s)");
}

TEST(ProgressText, EstimatesWhatIsLeft) {
  EXPECT_EQ(progress_text("reading A.mtx", {1000}, 250, 10), "reading A.mtx: 25 % (10 s, about 30 s left)");
  EXPECT_EQ(progress_text("points", {20, "points"}, 5, 60), "points: 5 of 20 points (1 min 0 s, about 3 min left)");
  EXPECT_EQ(progress_text("points", {200, "points"}, 2, 100), "points: 2 of 200 points (1 min 40 s, about 2.8 h left)");
  EXPECT_EQ(progress_text("points", {20, "points"}, 0, 60), "points: 0 of 20 points (1 min 0 s)");
  EXPECT_EQ(progress_text("points", {20, "points"}, 10, 1.9), "points: 10 of 20 points (1 s)"); // too early to tell
  EXPECT_EQ(progress_text("points", {1000}, 9, 60), "points: 0 % (1 min 0 s)");                 // too little
  EXPECT_EQ(progress_text("points", {20, "points"}, 20, 60), "points: 20 of 20 points (1 min 0 s)");
  EXPECT_EQ(progress_text("points", {1000}, 1001, 60), "points: 100 % (1 min 0 s)"); // never more
}

// Works that last while a display is there, so that they know their times.
class ProgressOfSeveral : public testing::Test {
protected:
  // After so many seconds from now.
  std::string text(const std::vector<const Progress*>& under_way, int seconds) const {
    return progress_text(under_way,
                         std::chrono::steady_clock::now() + std::chrono::seconds(seconds) + milliseconds(500));
  }
  ProgressDisplay display;
};

TEST_F(ProgressOfSeveral, TheYoungestSpeaksWhereNothingIsCounted) {
  const Progress outer("outer"), inner("inner");
  EXPECT_EQ(text({&outer, &inner}, 5), "inner (5 s)");
  EXPECT_EQ(text({}, 5), "");
}

TEST_F(ProgressOfSeveral, WhatIsCountedSpeaksFirst) {
  const Progress outer("outer");
  Progress counted("counted", {4, "parts"});
  const Progress inner("inner"), innermost("innermost", {0, "steps"});
  counted.advance_to(3);
  EXPECT_EQ(text({&outer, &counted, &inner, &innermost}, 6),
            "counted: 3 of 4 parts (6 s, about 2 s left), now innermost (6 s)");
  EXPECT_EQ(text({&outer, &counted, &inner, &innermost}, 0), "counted: 3 of 4 parts (0 s)"); // the rest is too short
}

TEST_F(ProgressOfSeveral, OtherThreadsDoNotSpeakWithinIt) {
  const Progress counted("counted", {4, "parts"});
  std::thread([&] {
    const Progress elsewhere("elsewhere");
    EXPECT_EQ(text({&counted, &elsewhere}, 6), "counted: 0 of 4 parts (6 s)");
  }).join();
}

TEST(ProgressLine, MovesOnATerminalAfterASecond) {
  ProgressLine line(true, 30, at(0));
  EXPECT_EQ(line.show("a", at(0.9)), "");
  EXPECT_EQ(line.erase(), "");
  EXPECT_EQ(line.show("a", at(1)), "\r\033[K\033[?7lcyclotron: a\033[?7h");
  EXPECT_EQ(line.show("a", at(1.1)), ""); // it is there
  EXPECT_EQ(line.show("b", at(1.2)), "\r\033[K\033[?7lcyclotron: b\033[?7h");
  EXPECT_EQ(line.erase(), "\r\033[K");
  EXPECT_EQ(line.erase(), "");
  EXPECT_EQ(line.show("b", at(1.3)), "\r\033[K\033[?7lcyclotron: b\033[?7h");
}

TEST(ProgressLine, StaysInAFileEveryHalfMinute) {
  ProgressLine line(false, 30, at(0));
  EXPECT_EQ(line.show("a", at(29.9)), "");
  EXPECT_EQ(line.show("a", at(30)), "cyclotron: a\n");
  EXPECT_EQ(line.show("b", at(59.9)), "");
  EXPECT_EQ(line.show("a", at(60)), "cyclotron: a\n"); // it still lasts
  EXPECT_EQ(line.erase(), "");
}

// What a process of its own writes to stderr, which is a file.
std::string shown_by(const std::function<void()>& work) {
  setenv("CYCLOTRON_PROGRESS_SECONDS", "0", 1);
  testing::internal::CaptureStderr();
  work();
  unsetenv("CYCLOTRON_PROGRESS_SECONDS");
  return testing::internal::GetCapturedStderr();
}

TEST(ProgressDisplay, ShowsWhatManyThreadsDo) {
  const std::string shown = shown_by([] {
    const ProgressDisplay display;
    Progress all("working", {1000, "works"});
    std::atomic<int> done = 0;
    std::list<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 250; ++i) {
          Progress one("one");
          std::this_thread::sleep_for(milliseconds(2));
          one.advance_to(i);
          all.advance_to(++done);
        }
      });
  });
  EXPECT_NE(shown.find("cyclotron: working: "), std::string::npos) << shown;
  EXPECT_EQ(shown.find("one"), std::string::npos) << shown;
}

TEST(ProgressDisplay, IsSilentOnceStoppedAndWhereThereIsNone) {
  EXPECT_EQ(shown_by([] {
              const Progress work("nobody looks");
              std::this_thread::sleep_for(milliseconds(300));
            }),
            "");
  EXPECT_EQ(shown_by([] {
              const ProgressDisplay display;
              stop_showing_progress();
              const Progress work("after the last words");
              std::this_thread::sleep_for(milliseconds(300));
            }),
            "");
}

} // namespace
} // namespace cyclotron
