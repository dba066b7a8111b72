// SPDX-License-Identifier: MIT
// Schedules against the names of their program.
#include "parsed_schedule.hpp"

#include <gtest/gtest.h>

namespace cyclotron::schedule {
namespace {

std::string messages(const std::string& commands) {
  ParsedSchedule parsed(commands);
  EXPECT_FALSE(parsed.diagnostics.failed()) << parsed.diagnostics.render(false);
  return parsed.check_messages();
}

TEST(ScheduleCheck, NamesOfTheProgram) {
  EXPECT_EQ(messages("order i, j, k"), "");
  EXPECT_NE(messages("order i, z").find("`z` names no index"), std::string::npos);
  EXPECT_NE(messages("stream Q along i").find("`Q` names no tensor"), std::string::npos);
  EXPECT_NE(messages("order n").find("`n` names no index"), std::string::npos); // a size is none
  EXPECT_NE(messages("order i, i").find("named twice"), std::string::npos);
}

TEST(ScheduleCheck, NewNamesAreKnownToLaterCommands) {
  EXPECT_EQ(messages("tile i by 8 -> io, ii\norder io, ii, j"), "");
  EXPECT_NE(messages("order io, ii\ntile i by 8 -> io, ii").find("`io` names no index"), std::string::npos);
  EXPECT_NE(messages("tile i by 8 -> j, ii").find("already a name"), std::string::npos);
  EXPECT_NE(messages("tile i by 8 -> A, ii").find("already a name"), std::string::npos);
  EXPECT_NE(messages("tile i by 8 -> n, ii").find("already a name"), std::string::npos);
  EXPECT_EQ(messages("precompute A(i,k) over i into ws\nplace ws in shared"), "");
}

TEST(ScheduleCheck, Counts) {
  EXPECT_NE(messages("tile i by 0").find("positive"), std::string::npos);
  EXPECT_NE(messages("tile i, j by 4, 8").find("one tile size"), std::string::npos);
  EXPECT_NE(messages("tile i by 4, 8 -> a, b").find("2 tile sizes make 3 loops"), std::string::npos);
  EXPECT_NE(messages("spacetime (i, j) -> (s, t) = [1 1]").find("2 x 2 matrix"), std::string::npos);
  EXPECT_NE(messages("marching L along i, j").find("takes one index"), std::string::npos);
}

TEST(ScheduleCheck, TwoSchedulesOfOneName) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto unit =
      frontend::parse(sources.add("a.cyc", "tensor x(n)\nx(i) = 1\nschedule s { }\nschedule s { }\n"), diagnostics);
  check(unit.schedules, unit.program, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 1);
}

} // namespace
} // namespace cyclotron::schedule
