// SPDX-License-Identifier: MIT
// Which value is where, against what follows from the programs by hand.
#include "unit/pe/traced.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace cyclotron::pe {
namespace {

using Names = std::vector<std::string>;

TEST(Trace, MatrixProduct) {
  const Traced t(output_stationary(2, 2, 2));
  EXPECT_EQ(t.trace.problem, "");
  // A(i,k) is part 2 i + k, B(k,j) part 2 k + j; who got it from a neighbour has the same value as who loaded it.
  EXPECT_EQ(t.needs(0), (Names{"A(0)", "B(0)", "A(1)", "B(2)"}));
  EXPECT_EQ(t.needs(1), (Names{"A(0)", "B(1)", "A(1)", "B(3)"}));
  EXPECT_EQ(t.needs(2), (Names{"A(2)", "B(0)", "A(3)", "B(2)"}));
  EXPECT_EQ(t.needs(3), (Names{"A(2)", "B(1)", "A(3)", "B(3)"}));
  EXPECT_EQ(t.trace.elements[0].received, (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(t.trace.elements[1].received, (std::vector<std::int64_t>{8, 0, 8, 0}));
  EXPECT_EQ(t.trace.elements[3].received, (std::vector<std::int64_t>{8, 8, 8, 8}));
  // What is passed on is nothing new; the sum, which is stored, is.
  EXPECT_EQ(t.makes(0), (Names{"-", "-", "-", "-", "[0,0]"}));
  EXPECT_EQ(t.makes(1), (Names{"-", "-", "[0,1]"}));
  EXPECT_EQ(t.makes(3), (Names{"[1,1]"}));
  EXPECT_EQ(t.trace.values.size(), 12U);
  EXPECT_EQ(t.trace.messages, 8U);
  EXPECT_EQ(t.trace.bytes, 64U);
  ASSERT_EQ(t.trace.stores.size(), 4U);
  for (const TracedStore& s : t.trace.stores) {
    EXPECT_EQ(s.tensor, 2);
    EXPECT_EQ(s.part, s.element);
    EXPECT_EQ(t.name(s.value), t.executable.name(s.element));
  }
  EXPECT_EQ(t.executable.code(t.executable.host()), nullptr);
}

// No PE waits for a result of another one: that a value comes by way of a neighbour makes no chain.
TEST(Trace, LevelsOfAMatrixProduct) {
  const Traced t(output_stationary(2, 2, 2));
  ASSERT_EQ(t.trace.kinds.size(), 1U);
  const double step = t.trace.kinds[0].work();
  EXPECT_GE(step, 2);
  EXPECT_EQ(t.trace.work, 8 * step);
  for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(t.levels(e), (std::vector<double>{2 * step, step})) << e;
  EXPECT_EQ(t.trace.elements[0].steps[0].needs, 2);
  EXPECT_EQ(t.trace.elements[0].steps[1].needs, 4);
  EXPECT_EQ(t.trace.elements[0].steps[0].makes, 2);
  EXPECT_EQ(t.trace.elements[0].steps[1].makes, 5);
}

TEST(Trace, WhatIsOnlyPassedOnIsNotNeeded) {
  const Traced t(chain(""));
  EXPECT_EQ(t.needs(0), Names{"-"});
  EXPECT_EQ(t.needs(1), Names{"-"});
  EXPECT_EQ(t.needs(2), Names{"a(0)"});
  EXPECT_EQ(t.trace.elements[1].received, std::vector<std::int64_t>{8}); // it is a message all the same
  EXPECT_EQ(t.makes(0), Names{"-"});
  EXPECT_EQ(t.makes(2), Names{"-"});
  EXPECT_EQ(t.trace.values.size(), 1U);
  EXPECT_EQ(t.trace.messages, 2U);
  EXPECT_EQ(t.name(t.trace.stores.at(0).value), "a(0)");
}

TEST(Trace, LevelsOfAChain) {
  const Traced t(chain("[i]_x + 1.0"));
  EXPECT_EQ(t.needs(1), Names{"[0]"});
  EXPECT_EQ(t.needs(2), Names{"[1]"});
  EXPECT_EQ(t.levels(0), std::vector<double>{3});
  EXPECT_EQ(t.levels(1), std::vector<double>{2});
  EXPECT_EQ(t.levels(2), std::vector<double>{1});
}

TEST(Trace, TriangularSolve) {
  constexpr int n = 5;
  const Traced t(triangular_solve(n));
  EXPECT_EQ(t.trace.problem, "");
  EXPECT_EQ(t.trace.messages, 10U); // x(j) comes to all rows below
  // Row 3: its part of L, b(3), and x of the rows above, each from who computed it.
  EXPECT_EQ(t.needs(3), (Names{"L(15)", "L(16)", "L(17)", "L(18)", "b(3)", "[0]", "[1]", "[2]"}));
  EXPECT_EQ(t.makes(3), (Names{"-", "-", "-", "[3]", "-"})); // sent, and then stored
  EXPECT_GT(t.levels(0).back(), t.levels(1).back());
}

std::string tiles(const std::string& body, const std::string& rest = "") {
  return sealed(
      "program \"p\"\naxis i = 0 .. 1\ntensor A(5,4) by (2,4): f64 input\ntensor C(5,4) by (2,4): f64 output\n"
      "register a by (2,4): f64\nregister x by (2,4): f64\nregister t(0 .. 1) by (2,4): f64\n"
      "channel on by (2,4): f64 [i]_x -> [i+1]_x\n"
      "role first at i == 0\n" +
      body + rest);
}

TEST(Trace, TilesAtTheEdgeAreSmaller) {
  const Traced t(tiles("  for k = 0 .. 2\n    step s(k)\n      [i]_x <- A(k,0)  load\n      [i]_x <- [i]_x + [i]_x\n"
                       "      [i]_x -> [i+1]_x\n",
                       "role last at i == 1\n  for k = 0 .. 2\n    step s(k)\n      [i]_x <- [i-1]_x\n"
                       "      C(k,0) <- [i]_x\n"));
  EXPECT_EQ(t.trace.problem, "");
  EXPECT_EQ(t.trace.elements[1].received, (std::vector<std::int64_t>{64, 64, 32}));
  EXPECT_EQ(t.trace.bytes, 160U);
  ASSERT_EQ(t.trace.kinds.size(), 3U); // 8 numbers, 4 numbers, and none
  EXPECT_EQ(t.trace.work, 20);
}

// Of two tiles one is chosen; that one of them is still empty says nothing of the other's size.
TEST(Trace, ATileThatIsChosen) {
  for (const char* chosen : {"select(k == 0, [i]_a, [i]_x)", "select(k != 0, [i]_x, [i]_a)"}) {
    const Traced t(tiles(fmt::format("  step s(k = 0)\n    [i]_a <- A(0,0)  load\n    [i]_x <- {}\n"
                                     "    [i]_x -> [i+1]_x\n",
                                     chosen),
                         "role last at i == 1\n  step s\n    [i]_x <- [i-1]_x\n    C(0,0) <- [i]_x\n"));
    EXPECT_EQ(t.trace.problem, "");
    EXPECT_EQ(t.trace.bytes, 64U) << chosen;
  }
}

std::vector<std::size_t> dead_tiles(const Traced& t) {
  std::vector<std::size_t> counts;
  for (const StepCode& s : t.executable.codes[0].steps) counts.push_back(s.dead_tiles.size());
  return counts;
}

TEST(Trace, DeadTiles) {
  const std::string load = "    [i]_a <- A(0,0)  load\n", sum = "    [i]_x <- [i]_x + [i]_a\n";
  // x is carried on, a is loaded anew by every step.
  EXPECT_EQ(dead_tiles(Traced(tiles("  step s(k = 0)\n" + load + sum + "  step s(k = 1)\n" + load + sum))),
            (std::vector<std::size_t>{1, 1}));
  // Now the second step needs the a of the first.
  EXPECT_EQ(dead_tiles(Traced(tiles("  step s(k = 0)\n" + load + sum + "  step s(k = 1)\n" + sum))),
            (std::vector<std::size_t>{0, 0}));
  // Places of a table are kept, however the step that reads them names them.
  const Traced table(tiles("  for k = 0 .. 1\n    step s(k)\n      [i]_t(k) <- A(k,0)  load\n"
                           "  step u\n    [i]_x <- [i]_t(0) + [i]_t(1)\n"));
  for (const Instruction& instruction : table.executable.codes[0].instructions)
    if (instruction.op == Opcode::add_tile)
      for (int place : {instruction.b, instruction.c}) {
        const std::vector<int>& dead = table.executable.codes[0].steps[0].dead_tiles;
        EXPECT_EQ(std::count(dead.begin(), dead.end(), place), 0) << place;
      }
  // So is what one of two ways reads.
  const Traced chosen(
      tiles("  for k = 0 .. 1\n    step s(k)\n  " + load + "      [i]_x <- select(k == 0, [i]_a, [i]_x)\n"));
  const Code& code = chosen.executable.codes[0];
  const int x = code.instructions[static_cast<std::size_t>(code.computes[0].last)].a;
  EXPECT_EQ(std::count(code.steps[0].dead_tiles.begin(), code.steps[0].dead_tiles.end(), x), 0);
}

std::string problem_of(const std::string& first, const std::string& second) {
  return Traced(sealed("program \"p\"\naxis i = 0 .. 1\ntensor a(2): f64 input\ntensor c(2): f64 output\n"
                       "register x: f64\nchannel on: f64 [i]_x -> [i+1]_x\nchannel back: f64 [i]_x -> [i-1]_x\n"
                       "role first at i == 0\n  step s\n" +
                       first + "role second at i == 1\n  step s\n" + second))
      .trace.problem;
}

TEST(Trace, Problems) {
  EXPECT_EQ(problem_of("    [i]_x <- a(0)  load\n    [i]_x -> [i+1]_x\n", "    [i]_x <- [i-1]_x\n"), "");
  EXPECT_EQ(problem_of("    [i]_x <- [i+1]_x\n    [i]_x -> [i+1]_x\n", "    [i]_x <- [i-1]_x\n    [i]_x -> [i-1]_x\n"),
            "PE [0] waits for ever, in step s");
  EXPECT_EQ(problem_of("    [i]_x -> [i+1]_x\n    [i]_x -> [i+1]_x\n", "    [i]_x <- [i-1]_x\n"),
            "PE [1] is sent 2 values of `on`, of which it receives 1");
  EXPECT_EQ(problem_of("    [i]_x -> [i-1]_x\n", ""), "PE [0] sends `back` to where no PE receives it, in step s");
  EXPECT_EQ(problem_of("    [i]_x <- a(2)  load\n", ""), "PE [0] reaches outside of `a`, in step s");
  const Program large = parsed(output_stationary(3, 3, 3));
  EXPECT_EQ(trace(Executable(large), 20).problem,
            "more than 20 messages and accesses to memory are too many to follow");
}

// What the host stores, and what another PE stores, is that value.
TEST(Trace, LoadsOfWhatWasStored) {
  const Traced t(sealed("program \"p\"\naxis i = 0 .. 1\ntensor a(1): f64 input\ntensor c(2): f64 output\n"
                        "register x: f64\n"
                        "role first at i == 0\n  step s\n    [i]_x <- c(1)  load\n    [i]_x <- [i]_x + 1.0\n"
                        "    c(0) <- [i]_x\n"
                        "role second at i == 1\n  step s\n    [i]_x <- a(0)  load\n    [i]_x <- [i]_x * 2.0\n"
                        "    c(1) <- [i]_x\n"));
  EXPECT_EQ(t.trace.problem, "");
  EXPECT_EQ(t.needs(0), Names{"[1]"});
  EXPECT_EQ(t.levels(1), std::vector<double>{2});
}

} // namespace
} // namespace cyclotron::pe
