// SPDX-License-Identifier: MIT
// The text form: what is printed, what is read back, what is refused.
#include "dataflow/ir.hpp"
#include "unit/dataflow/programs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::dataflow {
namespace {

// The text of the program that the text means; what is wrong with it where something is.
std::string again(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto program = parse(sources.add("x.flow", text), diagnostics);
  if (!program) return diagnostics.render(false);
  EXPECT_EQ(problem_of(*program), "");
  return print(*program);
}

TEST(DataflowText, MatrixProduct) {
  EXPECT_EQ(again(output_stationary), output_stationary);
  EXPECT_EQ(again(weight_stationary), weight_stationary);
}

TEST(DataflowText, TriangularSolve) { EXPECT_EQ(again(triangular_solve), triangular_solve); }

} // namespace
} // namespace cyclotron::dataflow
