// SPDX-License-Identifier: MIT
// What is printed reads back as it was: programs from text, and programs of all parts.
#include "unit/pe/programs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::pe {
namespace {

void expect_same(const std::string& text) {
  PeText read(text);
  ASSERT_TRUE(read.program) << read.report();
  EXPECT_EQ(print(*read.program), text);
}

void expect_same(const Program& program) {
  ASSERT_EQ(problem_of(program), "");
  PeText read(print(program));
  ASSERT_TRUE(read.program) << read.report();
  EXPECT_TRUE(*read.program == program) << print(program) << print(*read.program);
}

TEST(RoundTrip, MatrixProductsAndTriangularSolves) {
  for (const int rows : {1, 2, 3, 5})
    for (const int columns : {1, 2, 3, 4}) {
      expect_same(weight_stationary(rows, columns, 3));
      expect_same(weight_stationary(rows, columns, 3, true));
      expect_same(output_stationary(rows, columns, 7));
    }
  for (const int n : {1, 2, 3, 8}) expect_same(triangular_solve(n));
}

TEST(RoundTrip, NineRoles) {
  const Program program = parsed(weight_stationary(3, 3, 8));
  ASSERT_EQ(program.roles.size(), 9U);
  EXPECT_EQ(print(program.roles[4], program), "role 5 at i == 1, k == 1\n"
                                              "  step load(i, k)\n"
                                              "    [i,k]_A <- A(i,k)  load\n"
                                              "  for j = 0 .. 7\n"
                                              "    step C(i, j, k)\n"
                                              "      [i,k]_B <- [i-1,k]_B\n"
                                              "      [i,k]_C <- [i,k-1]_C\n"
                                              "      [i,k]_B -> [i+1,k]_B\n"
                                              "      [i,k]_C <- [i,k]_C + [i,k]_A * [i,k]_B\n"
                                              "      [i,k]_C -> [i,k+1]_C\n");
}

TEST(RoundTrip, EveryForm) {
  expect_same(sealed("program \"a \\\"name\\\"\"\n"
                     "size n = -3\n"
                     "closed form \"2 n\"\n"
                     "cycles 6\n"
                     "axis p = -1 .. 2 torus\n"
                     "axis q = 0 .. 3\n"
                     "tensor A(10,7) by (4,2): f32 input\n"
                     "tensor X(5,3,2) by (0,3,2): f32 output\n"
                     "tensor a: i32 output\n"
                     "tensor f: bool input\n"
                     "register t(0 .. 7, -2 .. 1 ring) by (3,2): f32\n"
                     "register u by (3,2): f32\n"
                     "register v by (3,3): f32\n"
                     "register n: i32\n"
                     "register w: i64\n"
                     "register f: bool\n"
                     "channel one by (3,2): f32 [p,q]_u -> [p-1,q+2]_u\n"
                     "channel two by (3,2): f32 [p,q]_u -> [p-1,q+2]_u\n"
                     "channel self: i32 [p,q]_n -> [p,q]_n\n"
                     "\n"
                     "host\n"
                     "  for i = 0 .. 4\n"
                     "    step H(i, j = i+1)\n"
                     "      [host]_n <- -2 * i + j\n"
                     "      [host]_w <- [host]_n\n"
                     "      [host]_f <- f  load\n"
                     "      a <- [host]_n\n"
                     "\n"
                     "role \"the first\" at p == -1\n"
                     "  pass ()\n"
                     "  pass () cycles 12\n"
                     "\n"
                     "role 2 at p == 0, 0 <= q <= 1\n"
                     "  for i = min(p, 3) .. max(q-(p-1), floor((p+1)/4)) step 2\n"
                     "    if i == 3 or mod(i, 2) != 0 and i > q >= p\n"
                     "      step \"two words\"(i = 2*(p+i)-q*i, c = 3, q)\n"
                     "        [p,q]_u <- A(i,c-1)  load boundary\n"
                     "        [p,q]_t(c,i-2*q) <- X(i)  load broadcast\n"
                     "        [p,q]_f <- f  load\n"
                     "        [p,q]_u <- [p+1,q-2]_u via two\n"
                     "        [p,q]_n <- [p,q]_n via self\n"
                     "        [p,q]_t(0,c+q-1) -> [p-1,q+2]_u via one\n"
                     "        [p,q]_n -> [p,q]_n via self\n"
                     "        [p,q]_v <- GEMM([p,q]_v, [p,q]_v) - [p,q]_v\n"
                     "        [p,q]_u <- [p,q]_t(c,i) + [p,q]_u * 0.5\n"
                     "        [p,q]_f <- not [p,q]_n < c or [p,q]_f\n"
                     "        [p,q]_n <- select([p,q]_f, max([p,q]_n, -q), abs(i - 3))\n"
                     "        X(c) <- [p,q]_u\n"
                     "        a <- [p,q]_n\n"
                     "    for j = i .. -1 step -1\n"
                     "      step none\n"
                     "\n"
                     "role nobody at false\n"
                     "\n"
                     "role rest at p == 1 and q == 0 or p == 2\n"
                     "  if true\n"
                     "    step C(q)\n"
                     "    step \"or\"\n"
                     "  if false\n"
                     "\n"));
}

// Trees that brackets must keep apart, and tests that no chain may join.
TEST(RoundTrip, TreesBuiltInCode) {
  const Index i(Variable{"i"}), three(Whole{3}), minus(Whole{-2});
  const auto op = [](IndexOp o, const Index& a, const Index& b) { return Index(Operation{o, a, b}); };
  Program program = parsed(triangular_solve(3));
  std::vector<Index> indices{i, three, minus};
  for (const IndexOp o :
       {IndexOp::add, IndexOp::sub, IndexOp::mul, IndexOp::floor_div, IndexOp::mod, IndexOp::min, IndexOp::max}) {
    const bool divides = o == IndexOp::floor_div || o == IndexOp::mod;
    std::vector<Index> more;
    for (const Index& a : indices)
      for (const Index& b : divides ? std::vector<Index>{three} : std::vector<Index>{i, minus, indices.back()})
        more.push_back(op(o, a, b));
    indices.insert(indices.end(), more.begin(), more.begin() + std::min<std::ptrdiff_t>(4, std::ssize(more)));
  }
  for (const Index& a : indices) {
    using recurrence::Relation;
    program.roles[0].body.push_back({Loop{"v", a, op(IndexOp::sub, i, a), -1, {}}});
    program.roles[0].body.push_back({If{{{{i, Relation::less, a}, {a, Relation::greater, i}, {i, Relation::equal, a}},
                                         {{a, Relation::less_equal, three}, {three, Relation::less, i}},
                                         {}},
                                        {}}});
    program.roles[0].body.push_back({Pass{{a, i}, 0}});
  }
  expect_same(program);
}

} // namespace
} // namespace cyclotron::pe
