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

TEST(DataflowText, ReadsWhatItPrints) {
  for (const std::string& text : {output_stationary, weight_stationary, shifted_weights, input_stationary, cannon,
                                  lower_triangle, triangular_solve, two_space_solve, alignment, strided_convolution})
    EXPECT_EQ(again(text), text);
}

} // namespace
} // namespace cyclotron::dataflow
