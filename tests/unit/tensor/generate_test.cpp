// SPDX-License-Identifier: MIT
// What the generators make: structure, sizes, and the same numbers on every machine.
#include "scratch.hpp"
#include "tensor/generate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

namespace cyclotron::tensor {
namespace {

using Reals = std::vector<double>;
using Sizes = std::vector<std::int64_t>;

Entries made(const std::string& recipe, Sizes dims = {}, ValueType type = ValueType::f64) {
  Report report;
  const auto parsed = parse_recipe(recipe, report.diagnostics);
  const auto entries = generate(parsed.value_or(Recipe{}), {std::move(dims), type, "A"}, report.diagnostics);
  EXPECT_TRUE(entries.has_value()) << recipe << "\n" << report.text();
  const int rank = static_cast<int>(entries.value_or(Entries{}).dims.size());
  const Format format = rank == 0 ? dense_format(0) : *format_named("coo", rank);
  const auto tensor = pack(entries.value_or(Entries{}), format, report.diagnostics);
  EXPECT_TRUE(tensor.has_value()) << recipe << "\n" << report.text();
  EXPECT_EQ(type_of(entries.value_or(Entries{}).values), type);
  return entries.value_or(Entries{});
}

Reals elements(const std::string& recipe, Sizes dims = {}, ValueType type = ValueType::f64) {
  return dense_view(made(recipe, std::move(dims), type));
}

TEST(Generate, Constants) {
  EXPECT_EQ(elements("zeros(2)"), (Reals{0, 0}));
  EXPECT_EQ(elements("ones", {2, 2}, ValueType::i32), (Reals{1, 1, 1, 1}));
  EXPECT_EQ(elements("constant(2.5)"), Reals{2.5});
  EXPECT_EQ(elements("constant(-3, n=2)", {}, ValueType::i64), (Reals{-3, -3}));
  EXPECT_EQ(elements("ones", {2}, ValueType::boolean), (Reals{1, 1}));
  EXPECT_EQ(elements("range(n=3)"), (Reals{0, 1, 2}));
  EXPECT_EQ(elements("range(start=1, step=0.5)", {3}), (Reals{1, 1.5, 2}));
  EXPECT_EQ(elements("identity", {2, -1}), (Reals{1, 0, 0, 1}));
  EXPECT_EQ(elements("identity(n=2)", {}, ValueType::boolean), (Reals{1, 0, 0, 1}));
}

TEST(Generate, Sizes) {
  EXPECT_EQ(made("random").dims, Sizes{});
  EXPECT_EQ(made("random(3, 4)").dims, (Sizes{3, 4}));
  EXPECT_EQ(made("random(n=3, m=4, l=5, k=6)").dims, (Sizes{3, 4, 5, 6}));
  EXPECT_EQ(made("random(n=3)", {-1, -1}).dims, (Sizes{3, 3}));
  EXPECT_EQ(made("random(n=3, m=4)", {7, -1}).dims, (Sizes{7, 4}));
  EXPECT_EQ(made("random(n=0)").dims, Sizes{0});
  EXPECT_EQ(made("spd(n=3)", {-1, 5}).dims, (Sizes{5, 5}));
  EXPECT_EQ(made("spd(n=3)").dims, (Sizes{3, 3}));
  EXPECT_EQ(made("spd(n=0)").dims, (Sizes{0, 0}));
  EXPECT_EQ(made("spd(n=1)").dims, (Sizes{1, 1}));
  EXPECT_EQ(made("stochastic(n=2, m=3)").dims, (Sizes{2, 3}));
}

// Frozen numbers: a change here would change every result anyone has noted down.
TEST(Generate, SameEverywhere) {
  EXPECT_EQ(elements("random(3)"), (Reals{0.18383979100743952, 0.6250937004946515, 0.45541761247435375}));
  EXPECT_EQ(elements("random(2, seed=7)"), (Reals{0.16798203294970526, 0.052385033391976865}));
  EXPECT_EQ(elements("integers(0, 100, n=5)"), (Reals{18, 62, 45, 99, 34}));
  EXPECT_EQ(elements("permutation(n=6)"), (Reals{3, 5, 2, 4, 1, 0}));
  EXPECT_EQ(elements("dna(n=8)"), (Reals{0, 2, 1, 3, 1, 1, 0, 2}));
  EXPECT_EQ(elements("random(8, density=0.25)"), (Reals{0.18383979100743952, 0, 0, 0, 0, 0.6250937004946515, 0, 0}));
  EXPECT_EQ(elements("spd(n=2)"),
            (Reals{1.632320417985121, -0.632320417985121, -0.632320417985121, 1.632320417985121}));
  EXPECT_EQ(elements("stochastic(n=3)"), (Reals{0.18461148849593634, 0.4607948819013366, 0.354593629602727}));
  EXPECT_EQ(elements("rmat(n=3, edges=4)"), (Reals{0, 2, 2, 0, 0, 0, 0, 0, 0}));
}

TEST(Generate, Random) {
  for (double x : elements("random(1000, low=-2, high=3)")) EXPECT_TRUE(x >= -2 && x < 3) << x;
  EXPECT_NE(elements("random(10, seed=1)"), elements("random(10, seed=2)"));
  EXPECT_EQ(elements("random(10, seed=1)"), elements("uniform(10, seed=1)"));
  const Reals many = elements("random(100000)");
  EXPECT_NEAR(std::accumulate(many.begin(), many.end(), 0.0) / 1e5, 0.5, 0.01);
  for (double density : {0.0, 0.01, 0.1, 0.5, 0.99}) {
    const Entries entries = made("random(200, 50, density=" + std::to_string(density) + ")");
    EXPECT_EQ(entries.count(), std::llround(10000 * density));
    std::set<std::pair<std::int64_t, std::int64_t>> places;
    for (std::size_t i = 0; i < entries.coordinates.at(0).size(); ++i)
      places.insert({entries.coordinates[0][i], entries.coordinates[1][i]});
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), entries.count());
  }
  EXPECT_EQ(made("random(1000000, 1000000, density=1e-9)").count(), 1000);
  EXPECT_EQ(made("random(100, density=0.25)", {}, ValueType::boolean).count(), 25);
  EXPECT_EQ(made("random(100)", {}, ValueType::boolean).count(), 50);
}

TEST(Generate, Integers) {
  std::set<double> seen;
  for (double x : elements("integers(-1, 3, n=200)", {}, ValueType::i32)) seen.insert(x);
  EXPECT_EQ(seen, (std::set<double>{-1, 0, 1, 2}));
  seen.clear();
  for (double x : elements("dna(n=100)", {}, ValueType::i64)) seen.insert(x);
  EXPECT_EQ(seen, (std::set<double>{0, 1, 2, 3}));
  EXPECT_EQ(elements("letters(\"ACGT\")", {}, ValueType::i32), (Reals{65, 67, 71, 84}));
  EXPECT_EQ(elements("letters:ACGT", {4}, ValueType::f64), (Reals{65, 67, 71, 84}));
  Reals order = elements("permutation(n=50)", {}, ValueType::i64);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  Reals expected(50);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
  EXPECT_EQ(made("permutation(n=9)", {-1, -1}).count(), 9);
}

TEST(Generate, Bands) {
  EXPECT_EQ(elements("tridiagonal(n=3)"), (Reals{2, -1, 0, -1, 2, -1, 0, -1, 2}));
  EXPECT_EQ(elements("tridiagonal(2, lower=3, diagonal=4, upper=5)", {}, ValueType::i32), (Reals{4, 5, 3, 4}));
  const Reals a = elements("banded(n=6, lower=2, upper=1, seed=3)");
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(a[static_cast<std::size_t>(6 * i + j)] != 0, i - j <= 2 && j - i <= 1);
  EXPECT_EQ(made("banded(n=3, lower=100, upper=100)").count(), 9);
}

TEST(Generate, Laplacians) {
  EXPECT_EQ(elements("laplacian2d(k=2)"), (Reals{4, -1, -1, 0, -1, 4, 0, -1, -1, 0, 4, -1, 0, -1, -1, 4}));
  EXPECT_EQ(elements("laplacian2d(nx=1, ny=3)"), (Reals{4, -1, 0, -1, 4, -1, 0, -1, 4}));
  EXPECT_EQ(made("laplacian2d", {9, 9}).count(), 9 + 2 * 12);
  EXPECT_EQ(made("laplacian3d(k=3)", {}, ValueType::i32).count(), 27 + 2 * 54);
  EXPECT_EQ(made("laplacian3d", {8, -1}).dims, (Sizes{8, 8}));
}

TEST(Generate, PositiveDefinite) {
  for (const char* recipe : {"spd(n=30, seed=4)", "spd(n=30, density=0.2)"}) {
    const Reals a = elements(recipe);
    for (std::size_t i = 0; i < 30; ++i) {
      double others = 0;
      for (std::size_t j = 0; j < 30; ++j) {
        EXPECT_EQ(a[30 * i + j], a[30 * j + i]);
        if (i != j) others += std::abs(a[30 * i + j]);
      }
      EXPECT_GT(a[30 * i + i], others);
    }
  }
  EXPECT_EQ(made("spd(n=30, density=0.2)").count(), 30 + 2 * 87);
}

TEST(Generate, Triangular) {
  for (bool upper : {false, true}) {
    const Reals a = elements(upper ? "triangular(n=20, upper=1)" : "triangular(n=20)");
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < 20; ++j) {
        if (i == j) EXPECT_GE(a[20 * i + j], 1);
        else EXPECT_EQ(a[20 * i + j] != 0, upper ? j > i : j < i) << i << " " << j;
      }
  }
  EXPECT_EQ(made("triangular(n=20, density=0.1)").count(), 20 + 19);
}

TEST(Generate, Stochastic) {
  const Reals a = elements("stochastic(n=5, m=7)");
  for (std::size_t i = 0; i < 5; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 7; ++j) {
      EXPECT_GT(a[7 * i + j], 0);
      sum += a[7 * i + j];
    }
    EXPECT_NEAR(sum, 1, 1e-15);
  }
  EXPECT_EQ(made("stochastic", {3, 0}).count(), 0);
}

TEST(Generate, Rmat) {
  const Entries graph = made("rmat(n=100, edges=500, seed=2)", {}, ValueType::i32);
  EXPECT_EQ(graph.count(), 500);
  EXPECT_EQ(graph.dims, (Sizes{100, 100}));
  EXPECT_EQ(made("rmat(n=8)").count(), 64);
  const Entries corner = made("rmat(n=5, edges=3, a=0, b=0, c=0, d=1)");
  EXPECT_EQ(corner.coordinates[0], (Sizes{4, 4, 4}));
}

TEST(Generate, Tiles) {
  EXPECT_EQ(made("tiles(range(n=6), 2)").dims, (Sizes{3, 2}));
  EXPECT_EQ(elements("tiles(range(n=6), 2)"), (Reals{0, 1, 2, 3, 4, 5}));
  const Entries whole = made("random(4, 6)"), sparse = made("random(4, 6, density=0.5)");
  for (const auto& [entries, recipe] :
       {std::pair{whole, "tiles(random(4, 6), 2, 3)"}, std::pair{sparse, "tiles(random(4, 6, density=0.5), 2, 3)"}}) {
    const Reals a = dense_view(entries), tiles = elements(recipe);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(tiles[((i / 2 * 2 + j / 3) * 2 + i % 2) * 3 + j % 3], a[6 * i + j]);
  }
  EXPECT_EQ(made("tiles(identity)", {2, 2, 3, 3}).count(), 6);
  EXPECT_EQ(made("tiles(random, 2, 2)", {3, 4, -1, -1}).dims, (Sizes{3, 4, 2, 2}));
  const ScratchFolder folder;
  folder.put("a.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 1\n4 3 7\n");
  const Entries file = made("tiles(\"" + folder.path("a.mtx") + "\", 2, 2)", {}, ValueType::i32);
  EXPECT_EQ(file.coordinates, (std::vector<Sizes>{{1}, {1}, {1}, {0}}));
}

TEST(Generate, HelpListsEveryArgument) {
  ASSERT_FALSE(generator_help().empty());
  for (const GeneratorHelp& help : generator_help()) {
    EXPECT_FALSE(help.meaning.empty());
    EXPECT_FALSE(help.arguments.empty());
  }
  EXPECT_EQ(generator_help()[0].name, "random");
  EXPECT_EQ(generator_help()[0].arguments, "n, m, l, k, low=0, high=1, density=1, seed=0");
}

} // namespace
} // namespace cyclotron::tensor
