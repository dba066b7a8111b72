// SPDX-License-Identifier: MIT
// Dataflow programs lowered to programs per PE and run by the slow array, beside plain loops.
#include "lower/pe/dataflow_to_pe.hpp"
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
TEST(DataflowToPe, ShiftedWeights) { check_product(dataflow::shifted_weights); }
TEST(DataflowToPe, TilesInPasses) { check_product(dataflow::tiles_in_passes); }
TEST(DataflowToPe, InputStationary) { check_product(dataflow::input_stationary); }

TEST(DataflowToPe, CannonOnATorus) {
  for (const std::int64_t n : {0, 1, 2, 3, 5}) {
    const Lowered result = lowered(dataflow::cannon, {{{"n", n}}, {}, {}, {true, true}});
    ASSERT_TRUE(result.program) << result.report;
    EXPECT_EQ(result.program->channels.size(), n == 2 ? 4U : n < 2 ? 0U : 2U);
    const auto a = random_values(n * n, 1), b = random_values(n * n, 2);
    const SlowRun run = run_slowly(*result.program, {{"A", a}, {"B", b}});
    EXPECT_EQ(run.problem, "");
    EXPECT_EQ(run.memory.at("C"), product(a, b, n, n, n));
  }
}

TEST(DataflowToPe, LowerTriangle) {
  for (const std::int64_t n : {1, 2, 3, 7}) {
    const Lowered result = lowered(dataflow::lower_triangle, {{{"n", n}, {"m", 3}, {"p", 2}}, {}, {}, {}});
    ASSERT_TRUE(result.program) << result.report;
    const auto a = random_values(n * 2, 1), b = random_values(2 * 3, 2);
    const SlowRun run = run_slowly(*result.program, {{"A", a}, {"B", b}});
    EXPECT_EQ(run.problem, "");
    auto expected = product(a, b, n, 3, 2);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i + 1; j < 3; ++j) expected[static_cast<std::size_t>(i * 3 + j)] = 0;
    EXPECT_EQ(run.memory.at("C"), expected);
  }
}

TEST(DataflowToPe, NineRoles) {
  for (const std::int64_t n : {3, 4, 9}) {
    const Lowered result = lowered(dataflow::weight_stationary, {{{"n", n}, {"m", 5}, {"p", 3}}, {}, {}, {}});
    ASSERT_TRUE(result.program) << result.report;
    EXPECT_EQ(result.program->roles.size(), 9U);
  }
}

void check_solve(const std::string& text, ArraySizes array = {}) {
  for (const std::int64_t n : {0, 1, 2, 3, 7}) {
    array.sizes = {{"n", n}};
    const Lowered result = lowered(text, array);
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

TEST(DataflowToPe, TriangularSolve) { check_solve(dataflow::triangular_solve); }
TEST(DataflowToPe, TriangularSolveInTwoSpaces) { check_solve(dataflow::two_space_solve); }

void check_alignment(ArraySizes array) {
  const std::int64_t m = array.sizes.at("m"), n = array.sizes.at("n");
  const Lowered result = lowered(dataflow::alignment, array);
  ASSERT_TRUE(result.program) << result.report;
  std::vector<double> x = random_values(m, 5), y = random_values(n, 6);
  for (auto* list : {&x, &y})
    for (double& v : *list) v = v > 0;
  const auto width = static_cast<std::size_t>(n) + 1;
  std::vector<double> h(static_cast<std::size_t>(m + 1) * width);
  for (std::size_t i = 0; i <= x.size(); ++i)
    for (std::size_t j = 0; j < width; ++j)
      h[i * width + j] = i == 0 || j == 0 ? -2.0 * static_cast<double>(i + j)
                                          : std::max({h[(i - 1) * width + j - 1] + (x[i - 1] == y[j - 1] ? 1 : -1),
                                                      h[(i - 1) * width + j] - 2, h[i * width + j - 1] - 2});
  const SlowRun run = run_slowly(*result.program, {{"X", x}, {"Y", y}});
  EXPECT_EQ(run.problem, "");
  EXPECT_EQ(run.memory.at("H"), h);
}

TEST(DataflowToPe, Alignment) {
  for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 2}, {1, 1}, {2, 5}, {7, 3}})
    check_alignment({{{"m", m}, {"n", n}}, {}, {}, {}});
}

// Each element of H goes to the next PE once, though two points read it there.
TEST(DataflowToPe, SendsOnce) {
  const Lowered result = lowered(dataflow::alignment, {{{"m", 4}, {"n", 5}}, {}, {}, {}});
  ASSERT_TRUE(result.program) << result.report;
  const SlowRun run = run_slowly(*result.program, {{"X", random_values(4, 1)}, {"Y", random_values(5, 2)}});
  EXPECT_EQ(run.messages, 3 * 5 + 3 * 5); // b and H
}

TEST(DataflowToPe, StridedConvolution) {
  for (const auto& [n, q] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {3, 2}, {4, 3}, {5, 7}, {0, 3}}) {
    const Lowered result = lowered(dataflow::strided_convolution, {{{"n", n}, {"q", q}}, {}, {}, {}});
    ASSERT_TRUE(result.program) << result.report;
    const auto w = random_values(q, 1), x = random_values(2 * n + q, 2);
    std::vector<double> y(static_cast<std::size_t>(2 * n));
    for (std::size_t t = 0; t < y.size(); t += 2)
      for (std::size_t k = 0; k < w.size(); ++k) y[t] += w[k] * x[t + k];
    const SlowRun run = run_slowly(*result.program, {{"w", w}, {"x", x}});
    EXPECT_EQ(run.problem, "");
    EXPECT_EQ(run.memory.at("y"), y);
  }
}

// Elements in the middle of an expression are loaded first; two of one tensor are two.
TEST(DataflowToPe, LoadsInsideExpressions) {
  const Lowered result = lowered(R"(
tensor A(n,n)
tensor x(n)
tensor y(n)
axes i
space s(i, j) : 0 <= i < n, 0 <= j < n
(i, j)_x <- broadcast x(j)
(i, 0)_s <- A(i,0) * (i, 0)_x + A(0,i) - 1
(i, j)_s <- (i, j-1)_s + A(i,j) * (i, j)_x + A(j,i) - 1 : 1 <= j
y(i) <- (i, n-1)_s
)",
                                 {{{"n", 3}}, {}, {}, {}});
  ASSERT_TRUE(result.program) << result.report;
  const auto a = random_values(9, 1), x = random_values(3, 2);
  std::vector<double> y(3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) y[i] += a[i * 3 + j] * x[j] + a[j * 3 + i] - 1;
  const SlowRun run = run_slowly(*result.program, {{"A", a}, {"x", x}});
  EXPECT_EQ(run.problem, "");
  EXPECT_EQ(run.memory.at("y"), y);
  EXPECT_EQ(result.program->roles.size(), 1U);
  std::vector<std::string> registers;
  for (const pe::Register& r : result.program->registers) registers.push_back(r.name);
  EXPECT_EQ(registers, (std::vector<std::string>{"x", "s", "A_load", "A_load2"}));
  const auto& first = std::get<pe::Step>(result.program->roles[0].body[0].kind).actions[0];
  EXPECT_EQ(std::get<pe::Load>(first).supply, pe::Supply::broadcast);
}

// Tiles: an access with fewer indices than dimensions reads one.
TEST(DataflowToPe, Tiles) {
  const Lowered result = lowered(R"(
tensor A(n,n,4,4)
tensor x(n,4)
tensor y(n,4)
axes i
space s(i, j) : 0 <= i < n, 0 <= j < n
value A: f64(4, 4)
value x, s: f64(4)
(i, j)_A <- A(i,j)
(0, j)_x <- boundary x(j)
(i, j)_x <- (i-1, j)_x : 1 <= i
(i, 0)_s <- GEMV((i, 0)_A, (i, 0)_x)
(i, j)_s <- (i, j-1)_s + GEMV((i, j)_A, (i, j)_x) : 1 <= j
y(i) <- (i, n-1)_s
)",
                                 {{{"n", 3}}, {}, {{"y", {{10}, {4}}}}, {}});
  ASSERT_TRUE(result.program) << result.report;
  EXPECT_EQ(result.program->tensor("A")->block, (std::vector<std::int64_t>{0, 0, 4, 4}));
  EXPECT_EQ(result.program->tensor("y")->dims, (std::vector<std::int64_t>{10}));
  EXPECT_EQ(result.program->tensor("y")->block, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(result.program->find_register("A")->tile, (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(result.program->channels.at(0).tile, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(result.program->roles.size(), 3U);
}

Fold fold(const std::string& axis, bool cyclic, std::int64_t count, std::int64_t block = 1) {
  return {axis, cyclic, count, block, {}};
}

TEST(DataflowToPe, FoldedCyclic) {
  check_product(dataflow::output_stationary, {{}, {fold("i", true, 2), fold("j", true, 3)}, {}, {}});
  check_product(dataflow::weight_stationary, {{}, {fold("k", true, 2)}, {}, {}});
  check_solve(dataflow::triangular_solve, {{}, {fold("i", true, 3)}, {}, {}});
  check_solve(dataflow::two_space_solve, {{}, {fold("i", true, 2)}, {}, {}});
}

TEST(DataflowToPe, FoldedInBlocks) {
  check_product(dataflow::output_stationary, {{}, {fold("i", false, 2), fold("j", false, 3)}, {}, {}});
  check_solve(dataflow::triangular_solve, {{}, {fold("i", false, 3)}, {}, {}});
  check_solve(dataflow::two_space_solve, {{}, {fold("i", false, 2)}, {}, {}});
}

TEST(DataflowToPe, FoldedInBlocksInTurn) {
  check_product(dataflow::output_stationary, {{}, {fold("i", true, 2, 2), fold("j", true, 1, 3)}, {}, {}});
  check_solve(dataflow::triangular_solve, {{}, {fold("i", true, 2, 2)}, {}, {}});
}

TEST(DataflowToPe, FoldedAlignment) {
  check_alignment({{{"m", 7}, {"n", 4}}, {fold("i", true, 3)}, {}, {}});
  check_alignment({{{"m", 7}, {"n", 4}}, {fold("i", false, 3)}, {}, {}});
}

// Values flow from the last PE to the first, so each PE does its last turn first.
TEST(DataflowToPe, TurnsFollowTheFlow) {
  const Lowered result = lowered(R"(
tensor A(n)
tensor y(n,n)
axes i
space s(i, t) : 0 <= i < n, 0 <= t < n
(n-1, t)_a <- A(t)
(i, t)_a <- (i+1, t)_a + 1 : i <= n-2
y(i,t) <- (i, t)_a
)",
                                 {{{"n", 5}}, {fold("i", true, 2)}, {}, {}});
  ASSERT_TRUE(result.program) << result.report;
  const auto a = random_values(5, 1);
  std::vector<double> y;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t t = 0; t < 5; ++t) y.push_back(a[t] + static_cast<double>(4 - i));
  const SlowRun run = run_slowly(*result.program, {{"A", a}});
  EXPECT_EQ(run.problem, "");
  EXPECT_EQ(run.memory.at("y"), y);
}

// Two readers that need the same values in different orders have a channel each.
TEST(DataflowToPe, ChannelPerOrder) {
  const Lowered result = lowered(R"(
tensor A(n)
tensor y(n)
axes i
space s(i, t) : 0 <= i <= 1, 0 <= t < 2*n
(0, t)_a <- A(t) : t < n
(1, t)_b <- (0, t-n)_a : n <= t
(1, t)_c <- (0, t-1)_a : 1 <= t <= n
(1, t)_d <- (1, t)_b : n < t
(1, n)_d <- (1, n)_b - (1, n)_c
y(t-n) <- (1, t)_d : n <= t
)",
                                 {{{"n", 4}}, {}, {}, {}});
  ASSERT_TRUE(result.program) << result.report;
  const auto a = random_values(4, 1);
  const SlowRun run = run_slowly(*result.program, {{"A", a}});
  EXPECT_EQ(run.problem, "");
  EXPECT_EQ(run.memory.at("y"), (std::vector<double>{a[0] - a[3], a[1], a[2], a[3]}));
}

// What is said about a program of one space that cannot be lowered.
std::string refusal(const std::string& lines, const std::vector<Fold>& folds = {}) {
  const std::string head = "tensor A(n)\naxes i\nspace s(i, t) : 0 <= i < n, 0 <= t < n\n";
  const Lowered result = lowered(head + lines, {{{"n", 4}}, folds, {}, {}});
  EXPECT_FALSE(result.program);
  return result.report;
}

TEST(DataflowToPe, Refuses) {
  EXPECT_EQ(refusal("(i, t)_a <- A(i)\n(i, t)_b <- (0, t)_a\n"),
            R"(error: `(i, t)_b <- (0, t)_a` comes from PEs at different distances
  --> x.flow:5:13
   |
 5 | (i, t)_b <- (0, t)_a
   |             ^^^^^^^^
hint: pass it on from neighbour to neighbour: a rule that reads the value one place away
)");
  EXPECT_EQ(refusal("(i, n-1)_a <- A(i)\n(i, t)_a <- (i, t+1)_a : t <= n-2\n"),
            R"(error: `(i, t)_a <- (i, t+1)_a` reads a value before it is computed: at i = 0, t = 0
  --> x.flow:5:13
   |
 5 | (i, t)_a <- (i, t+1)_a : t <= n-2
   |             ^^^^^^^^^^
hint: both are on one PE, so the time of the value must be less than the time of its reader
)");
  EXPECT_EQ(refusal("time (0)\n(i, t)_a <- A(i)\n"),
            R"(error: two points of space `s` are computed by one PE at the same time, such as i = 0, t = 0
hint: place and time together must tell the points of a space apart
)");
  EXPECT_EQ(refusal("(i, t)_a <- A(i)\n(i, t)_b <- (i-1, n-1-t)_a : 1 <= i\n"),
            R"(error: values of `a` travel from PE to PE by (1) in another order than they are needed in
  --> x.flow:5:13
   |
 5 | (i, t)_b <- (i-1, n-1-t)_a : 1 <= i
   |             ^^^^^^^^^^^^^^
hint: a link keeps the order: change the time of the space, or let the value travel another way
)");
  EXPECT_EQ(refusal("(i, t)_a <- (i, t)_b + 1\n(i, t)_b <- (i, t)_a + 1\n"),
            R"(error: `a` of space `s` needs itself at the same point
  --> x.flow:4:1
   |
 4 | (i, t)_a <- (i, t)_b + 1
   | ^^^^^^^^^^^^^^^^^^^^^^^^
hint: values of one point are computed one after the other
)");
  EXPECT_EQ(refusal("(i, t)_a <- A(i)\n", {fold("j", true, 2)}),
            R"(error: `j` is no axis of the array, so it cannot be folded
hint: `fold` takes an index that `space` names
)");
}

} // namespace
} // namespace cyclotron::lower
