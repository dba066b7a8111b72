// SPDX-License-Identifier: MIT
// The explanation places every statement and gives a reason for every read. Its words are in tests/golden/loops.
#include "lower/loops/explain.hpp"

#include "unit/lower/placed.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::lower {
namespace {

TEST(Explain, EveryStatementOfEveryExample) {
  each_placed_example([](const std::string& what, TestProgram& program, const loops::Nest& nest) {
    if (!what.ends_with("as chosen")) return;
    LoweredLoops lowered;
    lowered.nest = nest;
    const std::string text = explain(lowered, program.checked.domains);
    int number = 0;
    loops::each_statement(nest.body, [&](const loops::Statement& s, const auto&) {
      EXPECT_NE(text.find(fmt::format("\n{}: {}\n", ++number, loops::print(s))), std::string::npos) << what << text;
    });
    EXPECT_EQ(text.find(fmt::format("\n{}: ", number + 1)), std::string::npos) << what << text;
  });
}

// Stripped of its markers, the last step is the nest itself.
TEST(Explain, EndsWithTheNest) {
  TestProgram program(cholesky);
  const auto lowered = program.lowered("order k, j, i");
  ASSERT_TRUE(lowered);
  const std::string text = explain(*lowered, program.checked.domains);
  std::string last;
  for (std::size_t at = text.rfind("\n\n") + 2; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.find("ready ") == std::string::npos) last += line.substr(2);
    at = end;
  }
  EXPECT_EQ(last, program.printed(lowered->nest));
}

} // namespace
} // namespace cyclotron::lower
