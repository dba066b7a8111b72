// SPDX-License-Identifier: MIT
// Dataflow programs lowered to programs per PE and run by the slow array, beside plain loops.
#include "lower/dataflow_to_pe.hpp"
#include "unit/dataflow/programs.hpp"
#include "unit/lower/slow_array.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cyclotron::lower {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

struct Lowered {
  std::optional<pe::Program> program;
  std::string report;
};

Lowered lowered(const std::string& text, const ArraySizes& array) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto program = dataflow::parse(sources.add("x.flow", text), diagnostics);
  Lowered result;
  if (program) result.program = dataflow_to_pe(*program, array, diagnostics);
  result.report = diagnostics.render(false);
  return result;
}

std::vector<double> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 source(seed);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(source() % 19) - 9);
  return values;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, std::int64_t n, std::int64_t m,
                            std::int64_t p) {
  std::vector<double> c(static_cast<std::size_t>(n * m));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j)
      for (std::int64_t k = 0; k < p; ++k)
        c[static_cast<std::size_t>(i * m + j)] +=
            a[static_cast<std::size_t>(i * p + k)] * b[static_cast<std::size_t>(k * m + j)];
  return c;
}

void check_product(const std::string& text, ArraySizes array = {}) {
  for (const auto& [n, m, p] : std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>{
           {0, 3, 2}, {1, 1, 1}, {2, 1, 3}, {3, 3, 3}, {5, 3, 7}, {4, 7, 2}, {2, 5, 0}}) {
    array.sizes = {{"n", n}, {"m", m}, {"p", p}};
    const Lowered result = lowered(text, array);
    ASSERT_TRUE(result.program) << result.report;
    const auto a = random_values(n * p, 1), b = random_values(p * m, 2);
    const SlowRun run = run_slowly(*result.program, {{"A", a}, {"B", b}});
    EXPECT_EQ(run.problem, "") << n << " " << m << " " << p;
    EXPECT_EQ(run.memory.at("C"), product(a, b, n, m, p)) << n << " " << m << " " << p;
  }
}

TEST(DataflowToPe, OutputStationary) { check_product(dataflow::output_stationary); }
TEST(DataflowToPe, WeightStationary) { check_product(dataflow::weight_stationary); }

TEST(DataflowToPe, NineRoles) {
  for (const std::int64_t n : {3, 4, 9}) {
    const Lowered result = lowered(dataflow::weight_stationary, {{{"n", n}, {"m", 5}, {"p", 3}}, {}, {}, {}});
    ASSERT_TRUE(result.program) << result.report;
    EXPECT_EQ(result.program->roles.size(), 9U);
  }
}

TEST(DataflowToPe, TriangularSolve) {
  for (const std::int64_t n : {0, 1, 2, 3, 7}) {
    const Lowered result = lowered(dataflow::triangular_solve, {{{"n", n}}, {}, {}, {}});
    ASSERT_TRUE(result.program) << result.report;
    std::vector<double> l = random_values(n * n, 3), b = random_values(n, 4), x;
    for (std::int64_t i = 0; i < n; ++i) {
      l[static_cast<std::size_t>(i * n + i)] = 2; // so that all numbers are exact
      double sum = b[static_cast<std::size_t>(i)];
      for (std::int64_t j = 0; j < i; ++j)
        sum -= l[static_cast<std::size_t>(i * n + j)] * x[static_cast<std::size_t>(j)];
      x.push_back(sum / 2);
    }
    const SlowRun run = run_slowly(*result.program, {{"L", l}, {"B", b}});
    EXPECT_EQ(run.problem, "");
    EXPECT_EQ(run.memory.at("X"), x);
  }
}

} // namespace
} // namespace cyclotron::lower
