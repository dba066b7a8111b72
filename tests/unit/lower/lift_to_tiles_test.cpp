// SPDX-License-Identifier: MIT
#include "frontend/parse.hpp"
#include "lower/lift_to_tiles.hpp"
#include "unit/lower/placed.hpp"

#include <gtest/gtest.h>

namespace cyclotron::lower {
namespace {

std::string lifted(const std::string& text, const std::map<std::string, std::int64_t>& extents) {
  TestProgram program(text);
  EXPECT_EQ(program.messages(), "");
  const auto result = lift_to_tiles(program.checked.program(), Lift{extents, {}}, program.diagnostics);
  if (!result) return program.diagnostics.render(false);
  return print(result->program);
}

TEST(LiftToTiles, Try) {
  std::cout << lifted(cholesky, {{"i", 4}, {"j", 4}, {"k", 4}}) << "\n";
}

} // namespace
} // namespace cyclotron::lower
