// SPDX-License-Identifier: MIT
// Whether inputs travel: on arrays they do unless the schedule says otherwise, for lanes only where it says so.
#include "lower/dataflow/recurrence_to_dataflow.hpp"
#include "unit/lower/placed.hpp"

#include <gtest/gtest.h>

namespace cyclotron::lower {
namespace {

const std::string matrix_product = "tensor A(m, p)\ntensor B(p, n)\ntensor C(m, n)\nC(i,j) = sum[k](A(i,k) * B(k,j))\n";
const std::string filter = "assume 1 <= r\nassume 1 <= m\ntensor x(m + r - 1)\ntensor w(r)\ntensor z(m)\n"
                           "z(c) = x(c+q) * w(q)\n";

// The rules of the inputs, each with the blanks in front of it.
std::string inputs_of(const std::string& text, const std::string& commands, bool inputs_travel) {
  TestProgram program(text + "schedule s { " + commands + " }\n");
  EXPECT_EQ(program.messages(), "") << text;
  auto mapping = mapping_of(&program.checked.unit->schedules.at(0), "array", program.diagnostics);
  mapping->inputs_travel = inputs_travel;
  const auto lowered = recurrence_to_dataflow(program.checked, *mapping, program.diagnostics);
  if (!lowered) return program.messages();
  EXPECT_EQ(dataflow::problem_of(lowered->program), "");
  const std::string all = dataflow::print(lowered->program);
  std::string out;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const std::string line = all.substr(at, end - at + 1);
    if (line.starts_with("space") || line.find("_A <-") + 1 || line.find("_B <-") + 1 || line.find("_x <-") + 1 ||
        line.find("_w <-") + 1)
      out += line;
    at = end + 1;
  }
  return out;
}

TEST(Inputs, TravelOnArrays) {
  EXPECT_EQ(inputs_of(matrix_product, "space i, j", true), "space C(i, j, k) : 0 <= i < m, 0 <= j < n, 0 <= k < p\n"
                                                           "  (i, 0, k)_A <- boundary A(i,k)\n"
                                                           "  (i, j, k)_A <- (i, j-1, k)_A : 1 <= j\n"
                                                           "  (0, j, k)_B <- boundary B(k,j)\n"
                                                           "  (i, j, k)_B <- (i-1, j, k)_B : 1 <= i\n");
}

TEST(Inputs, ComeFromMemoryWhereNobodyMentionsThem) {
  EXPECT_EQ(inputs_of(matrix_product, "space j; stream A along j", false),
            "space C(i, j, k) : 0 <= i < m, 0 <= j < n, 0 <= k < p\n"
            "  (i, 0, k)_A <- boundary A(i,k)\n"
            "  (i, j, k)_A <- (i, j-1, k)_A : 1 <= j\n"
            "  (i, j, k)_B <- B(k,j)\n");
  EXPECT_EQ(inputs_of(matrix_product, "space j; time k, i", false),
            "space C(i, j, k) : 0 <= i < m, 0 <= j < n, 0 <= k < p\n"
            "  (i, j, k)_A <- A(i,k)\n"
            "  (i, j, k)_B <- B(k,j)\n");
}

TEST(Inputs, OnAMapToo) {
  const std::string map = "spacetime (c, q) -> (s, t) = [1 1; 0 1]";
  EXPECT_EQ(inputs_of(filter, map, true), "space z(c, q) : 0 <= c < m, 0 <= q < r\n"
                                          "  (c, 0)_x <- x(c)\n"
                                          "  (m-1, q)_x <- x(m+q-1) : 1 <= q\n"
                                          "  (c, q)_x <- (c+1, q-1)_x : 1 <= q, c <= m - 2\n"
                                          "  (c, q)_w <- broadcast w(q)\n");
  EXPECT_EQ(inputs_of(filter, map, false), "space z(c, q) : 0 <= c < m, 0 <= q < r\n"
                                           "  (c, q)_x <- x(c+q)\n"
                                           "  (c, q)_w <- w(q)\n");
  EXPECT_EQ(inputs_of(filter, "spacetime (c, q) -> (s, t) = [1 0; 2 1]; stream x along s", false),
            "space z(c, q) : 0 <= c < m, 0 <= q < r\n"
            "  (0, q)_x <- boundary x(q) : 2 <= r\n"
            "  (c, r-1)_x <- boundary x(c+r-1) : 1 <= c, 2 <= r\n"
            "  (c, 0)_x <- boundary x(c) : r == 1\n"
            "  (c, q)_x <- (c-1, q+1)_x : 1 <= c, q <= r - 2\n"
            "  (c, q)_w <- w(q)\n");
  EXPECT_EQ(inputs_of(filter, map + "; stream x along t", false), "space z(c, q) : 0 <= c < m, 0 <= q < r\n"
                                                                  "  (c, 0)_x <- x(c)\n"
                                                                  "  (m-1, q)_x <- x(m+q-1) : 1 <= q\n"
                                                                  "  (c, q)_x <- (c+1, q-1)_x : 1 <= q, c <= m - 2\n"
                                                                  "  (c, q)_w <- w(q)\n");
}

} // namespace
} // namespace cyclotron::lower
