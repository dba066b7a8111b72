// SPDX-License-Identifier: MIT
// The dependences of the designs in table 2 of "Systolic Computing on GPUs for Productive Performance", against vectors
// worked out by hand: from recurrences written like the paper's, and from the plain equation.
#include "dataflow/dependences.hpp"
#include "lower/dataflow/recurrence_to_dataflow.hpp"
#include "unit/lower/placed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace cyclotron::lower {
namespace {

std::string vector_text(const std::optional<recurrence::Point>& point) {
  std::vector<std::string> parts;
  for (const recurrence::Affine& a : point.value_or(recurrence::Point{})) parts.push_back(print(a));
  return point ? fmt::format("({})", fmt::join(parts, ", ")) : "none";
}

// `x (1, -1) (1) (1); …`: value, e, P.e and s.e of each dependence inside a space, then `w again (1, 0) (1) (0)` of
// each input that several points load.
std::string vectors_of(const std::string& text, std::size_t schedule) {
  TestProgram program(text);
  EXPECT_EQ(program.messages(), "") << text;
  const auto mapping = mapping_of(&program.checked.unit->schedules.at(schedule), "array", program.diagnostics);
  const auto lowered = recurrence_to_dataflow(program.checked, *mapping, program.diagnostics);
  if (!lowered) return program.messages();
  std::vector<std::string> lines;
  const dataflow::Dependences all = dataflow::dependences_of(lowered->program);
  for (const dataflow::Dependence& d : all.dependences) {
    EXPECT_FALSE(d.not_uniform) << text;
    if (!d.e) continue;
    lines.push_back(fmt::format("{} {} {} {}", d.producer.value, vector_text(d.e), vector_text(d.links),
                                vector_text(recurrence::Point{*d.cycles})));
  }
  for (const dataflow::Reuse& r : all.reuses)
    lines.push_back(fmt::format("{} again ({}) ({}) ({})", r.tensor, fmt::join(r.e, ", "), fmt::join(r.links, ", "),
                                r.steps.back()));
  return fmt::format("{}", fmt::join(lines, "; "));
}

std::string vectors_of_example(const std::string& name) {
  std::ifstream file(CYCLOTRON_ROOT "/examples/conv1d_" + name + ".cyc");
  std::stringstream text;
  text << file.rdbuf();
  return vectors_of(text.str(), 0);
}

TEST(Dependences, OfTheDesignsAsRecurrences) {
  EXPECT_EQ(vectors_of_example("bsm"), "W (1, 0) (0) (1); Z (0, 1) (1) (1); x again (-1, 1) (1) (0)");
  EXPECT_EQ(vectors_of_example("fsm"), "X (1, -1) (-1) (2); W (1, 0) (0) (1); Z (0, -1) (-1) (1)");
  EXPECT_EQ(vectors_of_example("bfs"), "W (1, 0) (1) (1); Z (0, 1) (0) (1); x again (-1, 1) (-1) (0)");
  EXPECT_EQ(vectors_of_example("ffs"), "X (1, -1) (1) (1); W (1, 0) (1) (2); Z (0, 1) (0) (1)");
  EXPECT_EQ(vectors_of_example("fbs"), "X (-1, 1) (-1) (1); Z (0, 1) (0) (1); w again (1, 0) (1) (0)");
  EXPECT_EQ(vectors_of_example("fbs_stride2"), "X (-1, 2) (-1) (2); Z (0, 1) (0) (1); w again (1, 0) (1) (0)");
  EXPECT_EQ(vectors_of_example("sbm"), "X (-1, 1) (0) (1); Z (0, 1) (1) (1); w again (1, 0) (1) (0)");
}

std::string vectors_of_equation(const std::string& commands) {
  return vectors_of("assume 1 <= r <= n\ntensor x(n)\ntensor w(r)\ntensor z(n - r + 1)\nz(c) = x(c+q) * w(q)\n"
                    "schedule s { " +
                        commands + " }\n",
                    0);
}

// Weights that a processor keeps come from a space of their own.
TEST(Dependences, OfTheDesignsFromThePlainEquation) {
  EXPECT_EQ(vectors_of_equation("spacetime (c, q) -> (s, t) = [0 1; 1 1]"),
            "z (0, 1) (1) (1); x again (-1, 1) (1) (0)");
  EXPECT_EQ(vectors_of_equation("spacetime (c, q) -> (s, t) = [0 1; 1 -1]; stream x along s"),
            "x (1, -1) (-1) (2); z (0, -1) (-1) (1)");
  EXPECT_EQ(vectors_of_equation("spacetime (c, q) -> (s, t) = [1 0; 1 1]"),
            "w (1, 0) (1) (1); z (0, 1) (0) (1); x again (-1, 1) (-1) (0)");
  EXPECT_EQ(vectors_of_equation("spacetime (c, q) -> (s, t) = [1 0; 2 1]; stream x along s"),
            "x (1, -1) (1) (1); w (1, 0) (1) (2); z (0, 1) (0) (1)");
  EXPECT_EQ(vectors_of_equation("spacetime (c, q) -> (s, t) = [1 0; 0 1]; stream x along s"),
            "x (-1, 1) (-1) (1); z (0, 1) (0) (1); w again (1, 0) (1) (0)");
  EXPECT_EQ(vectors_of_equation("spacetime (c, q) -> (s, t) = [1 1; 0 1]"),
            "x (-1, 1) (0) (1); z (0, 1) (1) (1); w again (1, 0) (1) (0)");
}

// The chain of a sum over a filter of 3 x 2 turns a corner: from the end of a row to the beginning of the next.
TEST(Dependences, OfAChainThatTurnsACorner) {
  const std::string filter = "assume 3 <= m, 2 <= n\ntensor x(m, n)\ntensor w(3, 2)\ntensor z(m - 2, n - 1)\n"
                             "z(c,r) = sum[q,p](x(c+q,r+p) * w(q,p))\n";
  EXPECT_EQ(vectors_of(filter + "schedule s { spacetime (c, r, q, p) -> (s, t) = [1 0 1 0; 0 6 2 1] }\n", 0),
            "x (-1, 0, 1, 0) (0) (2); x (0, 1, 0, -1) (0) (5); w (0, 1, 0, 0) (0) (6); z (0, 0, 1, -1) (1) (1); "
            "z (0, 0, 0, 1) (0) (1); w again (1, 0, 0, 0) (1) (0)");
}

} // namespace
} // namespace cyclotron::lower
