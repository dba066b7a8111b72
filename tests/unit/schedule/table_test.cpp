// SPDX-License-Identifier: MIT
// Every row of the command table: its example parses, prints back and passes the checks of names.
#include "parsed_schedule.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cyclotron::schedule {
namespace {

TEST(CommandTable, ExamplesParseAndPrintBack) {
  for (const CommandRow& row : command_table()) {
    ParsedSchedule parsed{std::string(row.syntax)};
    ASSERT_FALSE(parsed.diagnostics.failed()) << row.syntax << "\n" << parsed.diagnostics.render(false);
    ASSERT_EQ(parsed.commands().size(), 1u) << row.syntax;
    EXPECT_EQ(parsed.commands()[0].name, row.name);
    ParsedSchedule again(print(parsed.commands()[0]));
    ASSERT_FALSE(again.diagnostics.failed()) << print(parsed.commands()[0]) << "\n" << again.diagnostics.render(false);
    EXPECT_EQ(again.commands(), parsed.commands()) << row.syntax;
    EXPECT_EQ(print(again.commands()[0]), print(parsed.commands()[0]));
  }
}

TEST(CommandTable, ExamplesPrintAsWritten) {
  for (const CommandRow& row : command_table()) {
    if (row.name == "precompute") continue; // its expression gains blanks
    EXPECT_EQ(print(ParsedSchedule{std::string(row.syntax)}.commands().at(0)), row.syntax);
  }
}

TEST(CommandTable, ExamplesPassTheChecks) {
  for (const CommandRow& row : command_table())
    EXPECT_EQ(ParsedSchedule{std::string(row.syntax)}.check_messages(), "") << row.syntax;
}

TEST(CommandTable, NamesAndRolesAreDistinct) {
  std::set<std::string_view> names;
  for (const CommandRow& row : command_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.syntax.starts_with(row.name)) << row.syntax;
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_EQ(command_named(row.name), &row);
    std::set<std::string_view> roles;
    for (const Slot& slot : row.pattern)
      if (slot.kind != SlotKind::word) {
        EXPECT_TRUE(roles.insert(slot.role).second) << row.name << " " << slot.role;
      }
  }
  EXPECT_EQ(command_named("paralel"), nullptr);
  EXPECT_EQ(command_names().size(), command_table().size());
}

// Forms beyond the one example of each row.
TEST(CommandTable, OtherFormsPrintBack) {
  for (const char* text : {"order i",
                           "tile i, j by 16",
                           "tile c by 4, 16 -> a, b, d",
                           "vectorize j",
                           "unroll k",
                           "mask L {compressed, dense} order (1,0)",
                           "mask x {bitvector}",
                           "environment v = w",
                           "environment v = -3",
                           "environment v = 0.5",
                           "environment v = -0.25",
                           "environment v = inf",
                           "environment v = -inf",
                           "environment v = true",
                           "spacetime (i) -> (s) = [-1]",
                           "spacetime (i, j, k) -> (s, t) = [1 0 -1; 0 -2 3]",
                           "distribute A cyclic(i)",
                           "fold i block 2",
                           "precompute sum[k](A(i,k) * B(k,j)) over i, j into ws",
                           "place L in registers"}) {
    ParsedSchedule parsed{text};
    ASSERT_FALSE(parsed.diagnostics.failed()) << text << "\n" << parsed.diagnostics.render(false);
    EXPECT_EQ(print(parsed.commands().at(0)), text);
  }
}

TEST(CommandTable, CommandsAreSeparatedByLinesOrSemicolons) {
  EXPECT_EQ(ParsedSchedule("order i, j\n\n  parallel i; vectorize j # so\n").commands().size(), 3u);
  EXPECT_EQ(ParsedSchedule("").commands().size(), 0u);
  const ParsedSchedule parsed("order i, j; parallel i");
  EXPECT_EQ(print(parsed.unit.schedules[0]), "schedule s {\n  order i, j\n  parallel i\n}\n");
}

TEST(CommandTable, ArgumentsAreFoundByRole) {
  const ParsedSchedule parsed("tile c by 4, 16 -> a, b, d");
  const Command& tile = parsed.commands().at(0);
  ASSERT_NE(tile.find("sizes"), nullptr);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(tile.find("sizes")->value), (std::vector<std::int64_t>{4, 16}));
  EXPECT_EQ(tile.find("no such role"), nullptr);
}

} // namespace
} // namespace cyclotron::schedule
