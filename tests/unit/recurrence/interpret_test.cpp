// SPDX-License-Identifier: MIT
// Small programs whose results are known by heart: the corners of the meaning of equations.
#include "fuzz/compiled.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cyclotron::recurrence {
namespace {

using fuzz::Compiled;

// All values of output `x` as numbers; empty, with the messages in `said`, where there is none.
struct Answer {
  std::vector<double> x;
  std::string said;
};

Answer run(const std::string& text, const std::map<std::string, std::string>& given = {}) {
  Compiled compiled(text);
  Answer result;
  const auto bound = compiled.accepted() ? compiled.bind(given) : std::nullopt;
  const auto outputs = bound ? compiled.interpret(bound->sizes, bound->tensors) : std::nullopt;
  result.said = compiled.messages();
  if (!outputs) return result;
  const tensor::Entries entries = tensor::unpack(outputs->at("x"));
  for (std::int64_t i = 0; i < entries.count(); ++i) result.x.push_back(tensor::float_at(entries.values, i));
  return result;
}

using List = std::vector<double>;
const double inf = std::numeric_limits<double>::infinity();

TEST(Interpret, EmptyReductionsGiveTheIdentity) {
  const auto empty = [](const std::string& reducer, const std::string& type) {
    return run("tensor a(n): " + type + "\ntensor x: " + type + "\nx = " + reducer + "[i](a(i))\ndefault a = []\n").x;
  };
  EXPECT_EQ(empty("sum", "f64"), List{0});
  EXPECT_EQ(empty("prod", "f32"), List{1});
  EXPECT_EQ(empty("min", "f64"), List{inf});
  EXPECT_EQ(empty("max", "f32"), List{-inf});
  EXPECT_EQ(empty("prod", "i32"), List{1});
  EXPECT_EQ(empty("min", "i32"), List{2147483647});
  EXPECT_EQ(empty("max", "i64"), List{-9223372036854775808.0});
  EXPECT_EQ(empty("any", "bool"), List{0});
  EXPECT_EQ(empty("all", "bool"), List{1});
}

TEST(Interpret, WhatNoEquationDefinesIsZero) {
  EXPECT_EQ(run("tensor x(6)\nx(2*i) = i + 1\n").x, (List{1, 0, 2, 0, 3, 0}));
  EXPECT_EQ(run("tensor x(4)\nx(i) = 1 + x(i-1) : i >= 1\n").x, (List{0, 1, 2, 3}));
}

TEST(Interpret, NotANumberIsNeverHidden) {
  for (const char* text : {"min(inf-inf, 1)", "min(1, inf-inf)", "max(inf-inf, 1)", "max(1, inf-inf)",
                           "min[i](select(i == 1, inf-inf, a(i)))", "max[i](select(i == 0, inf-inf, a(i)))"}) {
    const Answer found = run(std::string("tensor a(3)\ntensor x\nx = a(0)*0 + ") + text + "\ndefault a = [1, 2, 3]\n");
    ASSERT_EQ(found.x.size(), 1u) << text << found.said;
    EXPECT_TRUE(std::isnan(found.x[0])) << text;
  }
}

TEST(Interpret, OnlyTheChosenBranchIsComputed) {
  EXPECT_EQ(run("tensor x(5)\nx(i) = select(i == 0, 1, 2 * x(i-1))\n").x, (List{1, 2, 4, 8, 16}));
  EXPECT_EQ(
      run("tensor b(4): bool\ntensor x(4): bool\nx(i) = i == 0 or (b(i) and x(i-1))\ndefault b = [0, 1, 1, 0]\n").x,
      (List{1, 1, 1, 0}));
}

TEST(Interpret, IntegersOverflowLoudly) {
  EXPECT_EQ(run("tensor x: i32\nx = 2147483647\n").x, List{2147483647});
  for (const char* text :
       {"tensor x: i32\nx = 2147483647 + 1\n", "tensor a: i32\ntensor x: i32\nx = a * a\ndefault a = 65536\n",
        "tensor x: i64\nx = 9223372036854775807 + n\ndefault n = 1\n",
        "tensor a: i32\ntensor x: i32\nx = -a - a\ndefault a = 2000000000\n",
        "tensor a(n): i32\ntensor x: i32\nx = sum[i](a(i))\ndefault a = [2000000000, 2000000000]\n"}) {
    const Answer found = run(text);
    EXPECT_TRUE(found.x.empty()) << text;
    EXPECT_NE(found.said.find("overflows"), std::string::npos) << text << found.said;
  }
}

TEST(Interpret, SinglePrecisionRoundsEveryOperation) {
  const float third = 1.0f / 3.0f;
  EXPECT_EQ(run("tensor a: f32\ntensor x: f32\nx = a / 3 + a\ndefault a = 1\n").x,
            List{static_cast<double>(third + 1.0f)});
  EXPECT_EQ(run("tensor x: f32\nx = 16777216 + k\ntensor k: f32\ndefault k = 1\n").x, List{16777216});
}

TEST(Interpret, LastStepIsWhatAnOutputHolds) {
  const std::string steps = "tensor x(3)\nx^0(i) = i\nx^t(i) = 2 * x^(t-1)(i) : 1 <= t <= T\n";
  EXPECT_EQ(run(steps, {{"T", "0"}}).x, (List{0, 1, 2}));
  EXPECT_EQ(run(steps, {{"T", "3"}}).x, (List{0, 8, 16}));
  EXPECT_EQ(run("tensor y(3)\ntensor x\ny^0(i) = i\ny^t(i) = 2 * y^(t-1)(i) : 1 <= t <= 3\nx = y(2)\n").x, List{16});
}

TEST(Interpret, EmptyTensors) {
  EXPECT_TRUE(run("tensor x(n)\nx(i) = 1\n", {{"n", "0"}}).x.empty());
  EXPECT_EQ(run("tensor x(n, m)\nx(i,j) = 1\n", {{"n", "1000000000000"}, {"m", "0"}}).said, "");
}

// The sum of no tiles is a tile of zeros, of the shape its place needs.
TEST(Interpret, EmptySumsOfTiles) {
  const std::string data =
      "tensor L(2, 2, 2, 2)\ntensor x(2, 2, 2)\ndefault L = tiles(triangular(n=4, seed=1), 2, 2)\n";
  for (const char* equation :
       {"x(i) = TRSM(L(i,i), sum[j](GEMM(L(i,j), x(j)))) : j < i\n", "x(i) = TRANSPOSE(sum[j](L(i,j))) : j < i\n",
        "x(i) = GEMM(L(i,i), -sum[j](L(i,j))) : j < i\n", "x(i) = 2 * sum[j](L(i,j)) : j < i\n",
        "x(i) = sum[j](L(i,j)) - sum[k](L(i,k)) : j < i, k < i\n"}) {
    const Answer found = run(data + equation);
    ASSERT_EQ(found.x.size(), 8u) << equation << found.said;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found.x[i], 0) << equation;
  }
}

// Tiles compute in floating point, where an integer would lose its last digits or wrap around.
TEST(Interpret, IntegerTilesAreRefused) {
  const Answer found =
      run("tensor a(2, 2): i32\ntensor x(2, 2): i32\nx(i) = a(i) + a(i)\ndefault a = [[2000000000, 1], [1, 1]]\n");
  EXPECT_TRUE(found.x.empty());
  EXPECT_NE(found.said.find("error"), std::string::npos);
}

// Long chains of needs, in either direction and through many elements at once.
TEST(Interpret, LongChains) {
  EXPECT_EQ(run("assume 1 <= n\ntensor y(n)\ntensor x\ny(i) = y(i+1) + 1 : i < n-1\nx = y(0)\n", {{"n", "20000"}}).x,
            List{19999});
  EXPECT_EQ(
      run("assume 1 <= n\ntensor y(n)\ntensor x\ny(i) = 1 + sum[k](0 * y(k)) : k > i\nx = y(0)\n", {{"n", "700"}}).x,
      List{1});
}

} // namespace
} // namespace cyclotron::recurrence
