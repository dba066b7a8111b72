// SPDX-License-Identifier: MIT
// What is said about recipes that cannot be followed, shown whole.
#include "scratch.hpp"
#include "tensor/generate.hpp"

#include <gtest/gtest.h>

namespace cyclotron::tensor {
namespace {

std::string failure(const std::string& recipe, std::vector<std::int64_t> dims, ValueType type = ValueType::f64) {
  Report report;
  const auto parsed = parse_recipe(recipe, report.diagnostics);
  EXPECT_TRUE(parsed) << report.text();
  EXPECT_FALSE(generate(*parsed, {std::move(dims), type, "b"}, report.diagnostics)) << recipe;
  return report.text();
}

TEST(GenerateErrors, Names) {
  EXPECT_EQ(failure("randm(n=5)", {-1}),
            "error: there is no generator `randm`\n"
            "hint: did you mean `random`? these are known: random, uniform, integers, zeros, ones, constant, "
            "stochastic, range, permutation, letters, dna, identity, tridiagonal, banded, spd, triangular, "
            "laplacian2d, laplacian3d, rmat and tiles\n");
  EXPECT_EQ(failure("qqq", {-1}),
            "error: there is no generator `qqq`\n"
            "hint: these are known: random, uniform, integers, zeros, ones, constant, stochastic, range, permutation, "
            "letters, dna, identity, tridiagonal, banded, spd, triangular, laplacian2d, laplacian3d, rmat and tiles\n");
  EXPECT_EQ(failure("spd(m=5)", {-1, -1}), "error: `spd` has no argument `m`\n"
                                           "hint: `spd` takes n, density=1, seed=0\n");
  EXPECT_EQ(failure("random(1,2,3,4,5,6,7,8,9)", {}),
            "error: expected at most 8 arguments for `random`, found 9\n"
            "hint: `random` takes n, m, l, k, low=0, high=1, density=1, seed=0\n");
  EXPECT_EQ(failure("random(5, n=6)", {-1}), "error: `n` is given twice to `random`\n"
                                             "hint: remove one of the two\n");
  EXPECT_EQ(failure("identity(3, 4)", {-1, -1}), "error: expected at most 1 argument for `identity`, found 2\n"
                                                 "hint: `identity` takes n\n");
}

TEST(GenerateErrors, Sizes) {
  EXPECT_EQ(failure("random", {-1}), "error: `random` for `b` needs a size\n"
                                     "hint: write such as `random(n=100)`\n");
  EXPECT_EQ(failure("random", {5, -1}), "error: `random` for `b` needs a size for dimension 2\n"
                                        "hint: write such as `random(m=100)`\n");
  EXPECT_EQ(failure("random(m=5)", {-1, -1}), "error: `random` for `b` needs a size for dimension 1\n"
                                              "hint: write such as `random(n=100)`\n");
  EXPECT_EQ(failure("random", {1, 1, 1, 1, -1}),
            "error: `random` for `b` needs a size for dimension 5\n"
            "hint: arguments give sizes for four dimensions only: the others must be known\n");
  EXPECT_EQ(failure("spd", {-1, -1}), "error: `spd` for `b` needs a size\n"
                                      "hint: write such as `spd(n=100)`\n");
  EXPECT_EQ(failure("spd", {3, 4}), "error: `spd` makes square matrices, but `b` is 3 x 4\n"
                                    "hint: use `random`, or sizes that are equal\n");
  EXPECT_EQ(failure("range", {-1}), "error: `range` for `b` needs a size\n"
                                    "hint: write such as `range(n=100)`\n");
  EXPECT_EQ(failure("random(n=3, m=4)", {5}), "error: `m` is the size of dimension 2, but `b` has one dimension\n"
                                              "hint: remove that argument\n");
  EXPECT_EQ(failure("laplacian2d", {-1, -1}),
            "error: `laplacian2d` for `b` needs a size\n"
            "hint: write such as `laplacian2d(k=10)` for a grid of 10 points a side\n");
  EXPECT_EQ(failure("laplacian2d", {10, 10}),
            "error: `laplacian2d` for `b` has 10 rows, which are not the points of a square grid\n"
            "hint: choose sizes so that there are k*k rows, or give nx and ny with that product\n");
  EXPECT_EQ(failure("laplacian2d", {9, 4}), "error: `laplacian2d` makes square matrices, but `b` is 9 x 4\n"
                                            "hint: use `random`, or sizes that are equal\n");
  EXPECT_EQ(failure("laplacian3d(k=2)", {9, -1}),
            "error: `laplacian3d` for `b` has 9 rows, which are not the points of a cubic grid\n"
            "hint: choose sizes so that there are k*k*k rows, or give nx, ny and nz with that product\n");
}

TEST(GenerateErrors, Ranks) {
  EXPECT_EQ(
      failure("spd(n=5)", {-1}),
      "error: `spd` makes matrices, but `b` has one dimension\n"
      "hint: these fit: random, integers, zeros, ones, constant, stochastic, range, permutation, letters and dna\n");
  EXPECT_EQ(failure("range(n=5)", {-1, -1}),
            "error: `range` makes vectors, but `b` has 2 dimensions\n"
            "hint: these fit: random, integers, zeros, ones, constant, stochastic, permutation, identity, tridiagonal, "
            "banded, spd, triangular, laplacian2d, laplacian3d and rmat\n");
  EXPECT_EQ(failure("permutation(n=3)", {3, 3, 3}),
            "error: `permutation` makes vectors and matrices, but `b` has 3 dimensions\n"
            "hint: these fit: random, integers, zeros, ones, constant and stochastic\n");
}

TEST(GenerateErrors, Arguments) {
  EXPECT_EQ(failure("random(n=-1)", {-1}), "error: expected an integer of at least 0 for `n` of `random`, found `-1`\n"
                                           "hint: write such as `n=10`\n");
  EXPECT_EQ(failure("random(n=2.5)", {-1}),
            "error: expected an integer of at least 0 for `n` of `random`, found `2.5`\n"
            "hint: write such as `n=10`\n");
  EXPECT_EQ(failure("random(n=\"five\")", {-1}),
            "error: expected an integer of at least 0 for `n` of `random`, found the text `\"five\"`\n"
            "hint: write such as `n=10`\n");
  EXPECT_EQ(failure("random(n=5, density=2)", {-1}),
            "error: expected a number from 0 to 1 for `density` of `random`, found `2`\n"
            "hint: write `density=1`\n");
  EXPECT_EQ(failure("random(n=5, density=-0.1)", {-1}),
            "error: expected a number from 0 to 1 for `density` of `random`, found `-0.1`\n"
            "hint: write `density=1`\n");
  EXPECT_EQ(failure("random(n=5, low=2, high=1)", {-1}),
            "error: expected `high` of `random` of at least `low`, 2, found `1`\n"
            "hint: swap the two\n");
  EXPECT_EQ(failure("random(n=5, seed=-1)", {-1}),
            "error: expected an integer of at least 0 for `seed` of `random`, found `-1`\n"
            "hint: write such as `seed=0`\n");
  EXPECT_EQ(failure("integers(5, 5)", {3}, ValueType::i32),
            "error: expected `high` of `integers` above `low`, 5, found `5`\n"
            "hint: integers are drawn from `low` up to, but not including, `high`\n");
  EXPECT_EQ(failure("integers(0, 1e300)", {3}, ValueType::i64),
            "error: expected an integer for `high` of `integers`, found `1e+300`\n"
            "hint: write such as `high=10`\n");
  EXPECT_EQ(failure("constant", {3}), "error: `constant` for `b` needs a value\n"
                                      "hint: write such as `constant(2.5)`\n");
  EXPECT_EQ(failure("constant(identity)", {3}),
            "error: expected a number for `value` of `constant`, found `identity()`\n"
            "hint: write `value=0`\n");
  EXPECT_EQ(failure("letters", {-1}), "error: expected a text for `text` of `letters`, found none\n"
                                      "hint: write such as `letters(\"ACGT\")`\n");
  EXPECT_EQ(failure("letters(5)", {-1}), "error: expected a text for `text` of `letters`, found `5`\n"
                                         "hint: write such as `letters(\"ACGT\")`\n");
  EXPECT_EQ(failure("letters(\"ACGT\")", {3}),
            "error: expected a text of 3 letters for `b`, found 4: `\"ACGT\"`\n"
            "hint: the size follows from other inputs: give a text of that length\n");
  EXPECT_EQ(failure("banded(n=5, lower=-1)", {-1, -1}),
            "error: expected an integer of at least 0 for `lower` of `banded`, found `-1`\n"
            "hint: write such as `lower=1`\n");
  EXPECT_EQ(failure("rmat(n=5, a=0.5, b=0.5, c=0.5)", {-1, -1}),
            "error: expected a, b, c and d of `rmat` to sum to 1, found `1.5`\n"
            "hint: they are the chances of the four quadrants, such as `a=0.57, b=0.19, c=0.19, d=0.05`\n");
  EXPECT_EQ(failure("rmat(n=0, edges=5)", {-1, -1}), "error: expected no edges in a graph without vertices, found 5\n"
                                                     "hint: remove `edges`, or give a larger `n`\n");
  EXPECT_EQ(failure("triangular(n=3, upper=2)", {-1, -1}),
            "error: expected an integer from 0 to 1 for `upper` of `triangular`, found `2`\n"
            "hint: write such as `upper=0`\n");
}

TEST(GenerateErrors, Types) {
  EXPECT_EQ(failure("random(n=5)", {-1}, ValueType::i32), "error: `random` makes real numbers, but `b` holds i32\n"
                                                          "hint: use `integers(low, high)`, or a tensor of `f64`\n");
  EXPECT_EQ(failure("spd(n=5)", {-1, -1}, ValueType::i64), "error: `spd` makes real numbers, but `b` holds i64\n"
                                                           "hint: use `integers(low, high)`, or a tensor of `f64`\n");
  EXPECT_EQ(failure("constant(2.5)", {3}, ValueType::i32),
            "error: `constant` for `b` makes `2.5`, which i32 cannot hold\n"
            "hint: use whole numbers in range, or a tensor of `f64`\n");
  EXPECT_EQ(failure("constant(1e300)", {3}, ValueType::f32),
            "error: `constant` for `b` makes `1e+300`, which f32 cannot hold\n"
            "hint: use `f64`, or smaller values\n");
  EXPECT_EQ(failure("integers(0, 4e9)", {3}, ValueType::i32),
            "error: `integers` for `b` makes `2500374801`, which i32 cannot hold\n"
            "hint: use whole numbers in range, or a tensor of `f64`\n");
  EXPECT_EQ(failure("range(step=0.5)", {3}, ValueType::i64),
            "error: `range` for `b` makes `0.5`, which i64 cannot hold\n"
            "hint: use whole numbers in range, or a tensor of `f64`\n");
  EXPECT_EQ(failure("random(n=5, low=1)", {-1}, ValueType::boolean),
            "error: `random` for `b` has no range: its values are bools\n"
            "hint: give the share of true values, such as `density=0.5`\n");
}

TEST(GenerateErrors, Tiles) {
  EXPECT_EQ(failure("tiles(random(n=8))", {}),
            "error: `tiles` for `b` makes twice as many dimensions as it cuts, but no tile size is given\n"
            "hint: write such as `tiles(random(n=8), 4, 4)` for four dimensions\n");
  EXPECT_EQ(failure("tiles(random(n=8), 3, 3)", {}), "error: a tensor of size 8 x 8 cannot be cut into tiles of 3 x 3\n"
                                                     "hint: each size must be a multiple of the tile's\n");
  EXPECT_EQ(failure("tiles(random, 2)", {-1, -1}), "error: `random` for `b` needs a size\n"
                                                   "hint: write such as `random(n=100)`\n");
  EXPECT_EQ(failure("tiles(random(n=8), 2, 2)", {-1, -1, -1}),
            "error: `tiles` for `b` makes twice as many dimensions as it cuts, but 3 are wanted\n"
            "hint: write such as `tiles(random(n=8), 4, 4)` for four dimensions\n");
  EXPECT_EQ(failure("tiles(b1=2)", {}), "error: `tiles` for `b` needs what it is to cut\n"
                                        "hint: write such as `tiles(random(n=8), 4, 4)` or `tiles(\"a.mtx\", 4, 4)`\n");
  EXPECT_EQ(
      failure("tiles(spd(n=8), 2)", {}),
      "error: `spd` makes matrices, but `b` has one dimension\n"
      "hint: these fit: random, integers, zeros, ones, constant, stochastic, range, permutation, letters and dna\n");
  EXPECT_EQ(failure("tiles(5, 2)", {}), "error: `tiles` for `b` needs what it is to cut\n"
                                        "hint: write such as `tiles(random(n=8), 4, 4)` or `tiles(\"a.mtx\", 4, 4)`\n");
  EXPECT_EQ(failure("tiles(random(n=8), 0)", {}),
            "error: expected an integer of at least 1 for `b1` of `tiles`, found `0`\n"
            "hint: write such as `b1=10`\n");
  EXPECT_EQ(failure("tiles(\"missing.mtx\", 2, 2)", {}), "error: no such file `missing.mtx`\n");
  EXPECT_EQ(failure("tiles(random(n=8))", {-1, -1, -1, -1}), "error: `tiles` for `b` needs the size of its tiles\n"
                                                             "hint: write such as `tiles(random(n=8), 4, 4)`\n");
}

TEST(GenerateErrors, PointAtTheArgument) {
  Sources sources;
  const std::int32_t file = sources.add("a.cyc", "b = random(n=5, densty=2)\n");
  Diagnostics diagnostics(sources);
  const Recipe recipe{"random", {{"n", 5.0, {file, 11, 14}}, {"densty", 2.0, {file, 16, 24}}}, {file, 4, 25}};
  EXPECT_FALSE(generate(recipe, {{-1}, ValueType::f64, "b"}, diagnostics));
  EXPECT_EQ(diagnostics.render(false),
            "error: `random` has no argument `densty`\n"
            "  --> a.cyc:1:17\n"
            "   |\n"
            " 1 | b = random(n=5, densty=2)\n"
            "   |                 ^^^^^^^^\n"
            "hint: did you mean `density`? `random` takes n, m, l, k, low=0, high=1, density=1, seed=0\n");
}

} // namespace
} // namespace cyclotron::tensor
