// SPDX-License-Identifier: MIT
// What is refused for all sizes, with the smallest witness; and what only looks wrong.
#include "frontend/step_order.hpp"
#include "fuzz/compiled.hpp"

#include <gtest/gtest.h>

namespace cyclotron::frontend {
namespace {

// "" where the program is accepted, else all messages.
std::string verdict(const std::string& text) {
  const fuzz::Compiled compiled("tensor a(n)\ntensor A(n, n)\ntensor x(n)\ntensor X(n, n)\n" + text + "\n");
  return compiled.accepted() ? "" : compiled.messages();
}

void expect_said(const std::string& text, const std::vector<std::string>& parts) {
  const std::string said = verdict(text);
  for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << text << "\n" << said;
}

TEST(CheckDefinitions, OverlapsHaveTheSmallestWitness) {
  expect_said("x(i) = 1\nx(0) = 2", {"`x(0)` is defined by two equations", "n = 1"});
  expect_said("X(i,j) = 1 : i <= j\nX(i,j) = 2 : j <= i", {"`X(0, 0)` is defined by two equations"});
  expect_said("x(2*i) = 1\nx(3*i) = 1", {"`x(0)`"});
  expect_said("x(i) = 1 : i < 3\nx(i) = 1 : i >= 2", {"`x(2)`", "n = 3"});
  EXPECT_EQ(verdict("x(2*i) = 1\nx(2*i+1) = 2"), "");
  EXPECT_EQ(verdict("X(i,j) = 1 : i < j\nX(i,j) = 2 : j < i\nX(i,i) = 3"), "");
  EXPECT_EQ(verdict("x(i) = 1 : i != 2\nx(2) = 2"), "");
}

TEST(CheckDefinitions, OneEquationMayNotDefineTwice) {
  expect_said("x(i+j) = A(i,j)", {"defined more than once"});
  expect_said("X(i,0) = 1\nx(i-j) = 1 : 0 <= j < 2", {"defined more than once"});
  expect_said("X(i,0*j) = 1", {"endlessly many"});
}

TEST(CheckDefinitions, DimensionsAreNotNegative) {
  expect_said("tensor z(n-2)\nz(i) = 1\nx(i) = 1", {"can be negative", "n = 0", "assume n >= 2"});
  EXPECT_EQ(verdict("assume 2 <= n\ntensor z(n-2)\nz(i) = 1\nx(i) = 1"), "");
}

TEST(CheckBounds, ReadsOutside) {
  expect_said("x(i) = a(i-1)", {"`a(i-1)` reads outside `a`", "index -1", "n = 1, i = 0", "i >= 1"});
  expect_said("x(i) = a(i+1)", {"`a(i+1)` reads outside `a`", "n = 1, i = 0"});
  expect_said("x(i) = a(2*i)", {"reads outside", "n = 2, i = 1"});
  expect_said("x(i) = a(0) + a(3)", {"`a(3)` reads outside", "assume n >= 4"});
  expect_said("tensor s\ns = a(0)\nx(i) = 1", {"`a(0)` reads outside", "n = 0", "assume n >= 1"});
  EXPECT_EQ(verdict("x(i) = a(i-1) : i >= 1"), "");
  EXPECT_EQ(verdict("x(i) = a(n-1-i) + a(0)"), "");
  EXPECT_EQ(verdict("x(i) = select(i > 0, a(i-1), 0)"), "");
  EXPECT_EQ(verdict("x(i) = select(i == 0 or a(i-1) > 0, 1, 2)"), "");
  EXPECT_EQ(verdict("x(i) = select(not (i == 0), a(i-1), 0)"), "");
  expect_said("x(i) = select(a(i) > 0, a(i-1), 0)", {"reads outside"}); // data says nothing about indices
}

TEST(CheckOrder, Cycles) {
  expect_said("x(i) = x(i)", {"needs itself"});
  expect_said("x(i) = a(i) + x(n-1-i)", {"needs itself"});
  expect_said("tensor y(n)\nx(i) = y(i)\ny(i) = x(i)", {"needs itself, through 1 other element"});
  expect_said("x(i) = x(i-1) + x(i+1) : 0 < i < n-1", {"needs itself"});
  EXPECT_EQ(verdict("x(i) = x(i-1) : i >= 1"), "");
  EXPECT_EQ(verdict("x(i) = x(i+1) : i < n-1"), "");
  EXPECT_EQ(verdict("X(i,j) = X(i-1,j+1) : i >= 1, j < n-1"), "");
  EXPECT_EQ(verdict("X(i,j) = X(j,i) : i < j\nX(i,j) = 1 : j <= i"), "");
  EXPECT_EQ(verdict("tensor y(n)\nx(0) = 1\nx(i) = y(i-1) : i >= 1\ny(i) = x(i)"), "");
}

TEST(CheckOrder, BySteps) {
  const std::string first = "tensor y(n)\nx^0(i) = a(i)\ny^0(i) = a(i)\n";
  EXPECT_EQ(verdict(first + "x^t(i) = x^(t-1)(i) + y^(t-1)(n-1-i) : 1 <= t <= 3\ny^t(i) = x^t(i) : 1 <= t <= 3"), "");
  expect_said(first + "x^t(i) = y^t(i) : 1 <= t <= 3\ny^t(i) = x^t(n-1-i) : 1 <= t <= 3", {"needs itself"});
  expect_said(first + "x^t(i) = y^(t-1)(i) : 1 <= t <= 3\ny^t(i) = x^(t+1)(n-1-i) : 1 <= t <= 2", {"needs itself"});
  expect_said(first + "x^t(i) = y(i) : 1 <= t <= 3\ny^t(i) = x^(t-1)(i) : 1 <= t <= 4", {"needs itself"}); // last step
  expect_said("tensor s(n)\nx^0(i) = s(i)\nx^t(i) = x^(t-1)(i) : 1 <= t <= 3\ns(i) = x^3(i)", {"needs itself"});
}

// What it proves without isl, and what it leaves to isl.
TEST(CheckOrder, ByStepsAlone) {
  const auto ordered = [](const std::string& equations) {
    const fuzz::Compiled compiled("assume 1 <= n\ntensor a(n)\ntensor x(n)\ntensor y(n)\n" + equations + "\n");
    EXPECT_TRUE(compiled.accepted()) << compiled.messages();
    return ordered_by_steps(compiled.program());
  };
  const std::string first = "x^0(i) = a(i)\ny^0(i) = a(i)\n";
  EXPECT_TRUE(ordered("x(i) = y(i)\ny(i) = a(i)"));
  EXPECT_TRUE(ordered(first + "x^t(i) = y^(t-1)(i) : 1 <= t <= 3\ny^t(i) = x^t(i) : 1 <= t <= 3"));
  EXPECT_FALSE(ordered("x(i) = x(i-1) : i >= 1\ny(i) = x(i)")); // no steps: isl's business
  EXPECT_FALSE(ordered("x^t(0) = 1 : 0 <= t <= 3\nx^t(i) = x^t(i-1) : 0 <= t <= 3, i >= 1\ny(i) = 1"));
}

TEST(CheckSteps, EveryStepReadMustBeDefined) {
  expect_said("x^t(i) = x^(t-1)(i) : 1 <= t <= 3", {"reads a step that no equation defines", "step 0"});
  EXPECT_EQ(verdict("x^0(i) = a(i)\nx^t(i) = x^(t-1)(i) : 1 <= t <= 3"), "");
  expect_said("x^0(i) = a(i)\nx^t(i) = x^(t-1)(i) : 1 <= t", {"`t` has no upper bound"});
  expect_said("x^0(i) = a(i)\nx(i) = 1", {"step by step"});
  expect_said("x(i) = a^2(i)", {"`a` has no steps"});
}

TEST(CheckRanges, ReductionsNeedARange) {
  expect_said("x(i) = sum[k](a(i) * 2)", {"`k` has no range"});
  expect_said("x(i) = sum[k](a(i)) : k >= 0", {"`k` has no upper bound"});
  expect_said("tensor b(m)\nx(i) = sum[k](a(k) * b(k))", {"ranges over two different sizes"});
  EXPECT_EQ(verdict("assume m == n\ntensor b(m)\nx(i) = sum[k](a(k) * b(k))"), "");
  EXPECT_EQ(verdict("tensor b(m)\nx(i) = sum[k](a(k) * b(k)) : k < n, k < m"), "");
  expect_said("x(i) = sum[k](a(k)) + sum[l](a(l)) : k < l", {"never in scope together"});
}

} // namespace
} // namespace cyclotron::frontend
