// SPDX-License-Identifier: MIT
// The check of a nest's order finds nothing in what lowering makes, and every mistake that is put in.
#include "lower/loops/order_problem.hpp"

#include "unit/lower/placed.hpp"

#include <gtest/gtest.h>

namespace cyclotron::lower {
namespace {

using loops::Loop;
using loops::Nest;
using loops::Node;
using loops::Statement;

TEST(OrderProblem, NoneInWhatLoweringMakes) {
  each_placed_example([](const std::string& what, TestProgram& program, const Nest& nest) {
    EXPECT_EQ(order_problem(nest, program.checked.domains), "") << what << "\n" << program.printed(nest);
  });
}

std::string problem_in(const std::string& program_text, const std::string& nest_text) {
  TestProgram program(program_text);
  const auto nest = program.parsed(nest_text);
  return nest ? order_problem(*nest, program.checked.domains) : program.messages();
}

TEST(OrderProblem, RightByHand) {
  EXPECT_EQ(problem_in(cholesky, "for i\n"
                                 "  for j < i\n"
                                 "    forall k < j\n"
                                 "      tL(i,j) += L(i,k) * L(j,k)\n"
                                 "    L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)\n"
                                 "    tL(i,i) += L(i,j) * L(i,j)\n"
                                 "  L(i,i) = sqrt(A(i,i) - tL(i,i))\n"),
            "");
}

TEST(OrderProblem, TwoStatementsSwapped) {
  EXPECT_EQ(problem_in(cholesky, "for i\n"
                                 "  for j < i\n"
                                 "    forall k < j\n"
                                 "      tL(i,j) += L(i,k) * L(j,k)\n"
                                 "    tL(i,i) += L(i,j) * L(i,j)\n"
                                 "    L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)\n"
                                 "  L(i,i) = sqrt(A(i,i) - tL(i,i))\n"),
            "`tL(i,i) += L(i,j) * L(i,j)` reads `L(i,j)`, which is written only later, in "
            "`L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)` (n = 2, i = 1, j = 0)");
}

TEST(OrderProblem, TemporaryReadBeforeItsLoop) {
  EXPECT_EQ(problem_in(cholesky, "for i\n"
                                 "  for j < i\n"
                                 "    L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)\n"
                                 "    forall k < j\n"
                                 "      tL(i,j) += L(i,k) * L(j,k)\n"
                                 "    tL(i,i) += L(i,j) * L(i,j)\n"
                                 "  L(i,i) = sqrt(A(i,i) - tL(i,i))\n"),
            "`L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)` reads `tL(i,j)`, which is written only later, in "
            "`tL(i,j) += L(i,k) * L(j,k)` (n = 3, i = 2, j = 1)");
}

TEST(OrderProblem, DirectionFlipped) {
  EXPECT_EQ(problem_in(cholesky, "for i\n"
                                 "  for j < i falling\n"
                                 "    forall k < j\n"
                                 "      tL(i,j) += L(i,k) * L(j,k)\n"
                                 "    L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)\n"
                                 "    tL(i,i) += L(i,j) * L(i,j)\n"
                                 "  L(i,i) = sqrt(A(i,i) - tL(i,i))\n"),
            "`tL(i,j) += L(i,k) * L(j,k)` reads `L(i,k)`, which is written only later, in "
            "`L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)` (n = 3, i = 2, j = 1, k = 0)");
}

TEST(OrderProblem, FallingWhereItMustRise) {
  const std::string back = "tensor b(n)\ntensor x(n)\nx(i) = b(i) - sum[j](x(j)) : j > i\n";
  EXPECT_EQ(problem_in(back, "for i falling\n  forall j > i\n    tx(i) += x(j)\n  x(i) = b(i) - tx(i)\n"), "");
  EXPECT_EQ(
      problem_in(back, "for i\n  forall j > i\n    tx(i) += x(j)\n  x(i) = b(i) - tx(i)\n"),
      "`tx(i) += x(j)` reads `x(j)`, which is written only later, in `x(i) = b(i) - tx(i)` (n = 2, i = 0, j = 1)");
}

TEST(OrderProblem, ForMarkedForall) {
  EXPECT_EQ(
      problem_in(cholesky, "for i\n"
                           "  forall j < i\n"
                           "    forall k < j\n"
                           "      tL(i,j) += L(i,k) * L(j,k)\n"
                           "    L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)\n"
                           "    tL(i,i) += L(i,j) * L(i,j)\n"
                           "  L(i,i) = sqrt(A(i,i) - tL(i,i))\n"),
      "`forall j < i` is no forall: `tL(i,j) += L(i,k) * L(j,k)` reads `L(i,k)`, which another iteration writes in "
      "`L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)` (n = 3, i = 2, j = 1, k = 0)");
}

TEST(OrderProblem, GuardsAndSelectsSayWhatIsRead) {
  const std::string halves = "tensor b(n)\ntensor x(n)\nx(i) = select(i < 2, b(i), x(i-2))\n";
  EXPECT_EQ(problem_in(halves, "for i\n  x(i) = select(i < 2, b(i), x(i-2))\n"), "");
  EXPECT_EQ(problem_in(halves, "forall i\n  x(i) = select(i < 2, b(i), x(i-2))\n"),
            "`forall i` is no forall: `x(i) = select(i < 2, b(i), x(i-2))` reads `x(i-2)`, which another iteration "
            "writes in `x(i) = select(i < 2, b(i), x(i-2))` (n = 3, i = 2)");
  EXPECT_EQ(problem_in(halves, "if 2 >= n\n  forall i\n    x(i) = select(i < 2, b(i), x(i-2))\n"), "");
}

// --- every single mistake of a kind, in every nest of the examples ---

// Calls f on every body of a nest: the places where statements can be swapped and loops changed.
void each_body(std::vector<Node>& body, const std::function<void(std::vector<Node>&)>& f) {
  f(body);
  for (Node& node : body)
    if (Loop* loop = std::get_if<Loop>(&node.kind)) each_body(loop->body, f);
}

TEST(OrderProblem, EveryForOfTheExamplesIsOne) {
  int flipped = 0, marked = 0;
  each_placed_example([&](const std::string& what, TestProgram& program, const Nest& nest) {
    if (!what.ends_with("as chosen")) return;
    Nest wrong = nest;
    each_body(wrong.body, [&](std::vector<Node>& body) {
      for (Node& node : body) {
        Loop* loop = std::get_if<Loop>(&node.kind);
        if (!loop || loop->forall) continue;
        loop->forall = true;
        marked += !order_problem(wrong, program.checked.domains).empty();
        EXPECT_NE(order_problem(wrong, program.checked.domains), "") << what << "\n" << program.printed(wrong);
        loop->forall = false;
        loop->rising = !loop->rising;
        flipped += !order_problem(wrong, program.checked.domains).empty();
        EXPECT_NE(order_problem(wrong, program.checked.domains), "") << what << "\n" << program.printed(wrong);
        loop->rising = !loop->rising;
      }
    });
  });
  EXPECT_GT(flipped, 30);
  EXPECT_GT(marked, 30);
}

} // namespace
} // namespace cyclotron::lower
