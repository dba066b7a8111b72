// SPDX-License-Identifier: MIT
// Generated inputs in parts are, bit for bit, those of the sequential program.
#include "world.hpp"

#include <gtest/gtest.h>

namespace cyclotron::mpi {
namespace {

using tensor::ValueType;

struct Case {
  const char* recipe;
  std::vector<std::int64_t> dims;
  ValueType type = ValueType::f64;
};

void expect_made(const Case& c, std::uint64_t seed) {
  SCOPED_TRACE(c.recipe);
  Report report;
  const auto recipe = tensor::parse_recipe(c.recipe, report.diagnostics);
  ASSERT_TRUE(recipe.has_value()) << report.text();
  for (std::int64_t elements : {0, 3})
    expect_like_sequential(*recipe, {"A", c.dims, c.type}, {.elements = elements}, 9, seed);
}

TEST(Make, ElementByElement) {
  const Case cases[] = {
      {"zeros", {5, 7}},
      {"ones", {4, 3, 2}, ValueType::i32},
      {"constant(2.5)", {9}},
      {"constant(-3)", {}, ValueType::i64},
      {"random(seed=3)", {11, 6}},
      {"random(seed=3, low=-2, high=5)", {3, 4, 5}, ValueType::f32},
      {"random", {0}},
      {"random", {1}},
      {"random", {3, 0, 2}},
      {"integers(-5, 5, seed=2)", {6, 5}, ValueType::i64},
      {"range(start=1, step=0.1)", {13}},
      {"letters(\"hello, world\")", {12}, ValueType::i64},
      {"dna(seed=1)", {17}, ValueType::i32},
      {"identity", {8, 8}},
      {"tridiagonal(lower=1, diagonal=4, upper=-1)", {9, 9}, ValueType::i64},
      {"banded(lower=2, upper=1, seed=1)", {9, 9}},
      {"spd(seed=1)", {23, 23}},
      {"spd", {1, 1}},
      {"triangular(seed=1)", {10, 10}},
      {"triangular(upper=1, seed=1)", {9, 9}, ValueType::f32},
      {"laplacian2d", {16, 16}},
      {"laplacian3d", {27, 27}, ValueType::i32},
  };
  for (std::uint64_t seed = 1; seed < 4; ++seed)
    for (const Case& c : cases) expect_made(c, seed);
}

TEST(Make, ElementsThatDependOnEachOther) {
  const Case cases[] = {
      {"random(density=0.4, seed=1)", {9, 8}},
      {"random(density=0.05, seed=1)", {20, 21}, ValueType::f32},
      {"random", {7, 9}, ValueType::boolean},
      {"integers(0, 9, density=0.3)", {6, 5}, ValueType::i32},
      {"stochastic(seed=4)", {5, 6}},
      {"stochastic", {2, 19}},
      {"stochastic", {0, 3}},
      {"permutation(seed=5)", {12}, ValueType::i64},
      {"permutation(seed=5)", {7, 7}},
      {"spd(density=0.5, seed=1)", {10, 10}},
      {"spd(density=0.1, seed=1)", {12, 12}},
      {"triangular(density=0.6)", {9, 9}},
      {"triangular(density=0.1, upper=1)", {11, 11}},
      {"rmat(edges=60, seed=1)", {8, 8}},
      {"rmat(edges=60, seed=1)", {8, 8}, ValueType::boolean},
  };
  for (std::uint64_t seed = 1; seed < 4; ++seed)
    for (const Case& c : cases) expect_made(c, seed);
}

TEST(Make, Tiles) {
  const Case cases[] = {
      {"tiles(random(seed=1), 2, 3)", {4, 5, 2, 3}},
      {"tiles(spd(seed=1), 3, 3)", {3, 3, 3, 3}},
      {"tiles(spd(density=0.5), 3, 3)", {3, 3, 3, 3}},
      {"tiles(range, 4)", {3, 4}, ValueType::i32},
      {"tiles(tiles(random(seed=2), 4, 6), 1, 2, 2, 3)", {2, 1, 2, 2, 1, 2, 2, 3}},
  };
  for (std::uint64_t seed = 1; seed < 4; ++seed)
    for (const Case& c : cases) expect_made(c, seed);
}

TEST(Make, RefusesInTheSameWords) {
  const Case cases[] = {
      {"rendom", {4, 4}},
      {"random(seeds=3)", {4, 4}},
      {"identity", {3, 4}},
      {"random", {4}, ValueType::i32},
      {"random(density=2)", {4}},
      {"rmat(edges=-1)", {4, 4}},
      {"constant(2.5)", {3}, ValueType::i64},
      {"letters(\"abc\")", {4}, ValueType::i64},
      {"tiles(random, 2)", {2, 2, 2}},
      {"tiles(7, 2, 2)", {2, 2, 2, 2}},
      {"random", {std::int64_t{1} << 40, std::int64_t{1} << 40, 0}},
  };
  for (const Case& c : cases) expect_made(c, 1);
}

} // namespace
} // namespace cyclotron::mpi
