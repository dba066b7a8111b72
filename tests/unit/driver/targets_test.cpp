// SPDX-License-Identifier: MIT
// The two tables that say what targets are must fit each other.
#include "driver/targets.hpp"

#include "schedule/targets.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cyclotron::driver {
namespace {

TEST(Targets, CommandsAreTakenByTargetsThatExist) {
  for (const schedule::CommandRow& row : schedule::command_table())
    for (const std::string_view target : row.targets)
      EXPECT_NE(target_named(target), nullptr) << row.name << " is for " << target;
}

TEST(Targets, EachHasAName) {
  std::set<std::string_view> names;
  for (const Target& t : target_table()) {
    EXPECT_TRUE(names.insert(t.name).second) << t.name;
    EXPECT_FALSE(t.meaning.empty() || t.takes.empty() || t.started.empty() || t.refuses.empty()) << t.name;
    EXPECT_TRUE(has(t, Verb::run)) << t.name;
  }
}

TEST(Targets, TakeWhatEmitShows) {
  std::set<std::string_view> forms;
  for (const EmitHelp& e : emit_help()) {
    forms.insert(e.name);
    EXPECT_TRUE(e.target.empty() || target_named(e.target)) << e.name;
  }
  for (const Target& t : target_table()) EXPECT_TRUE(forms.count(t.takes)) << t.name;
}

// What starts with the program of an array runs by the same schedules.
TEST(Targets, ArraysAndRanksTakeTheSameCommands) {
  EXPECT_EQ(schedule::commands_of("array"), schedule::commands_of("mpi"));
}

TEST(Targets, FilesBelongToTheTargetThatTakesThemFirst) {
  EXPECT_EQ(target_of_file("a.pe"), "array");
  EXPECT_EQ(target_of_file("a.gv"), "sam");
  EXPECT_EQ(target_of_file("a.cyc"), "");
}

} // namespace
} // namespace cyclotron::driver
