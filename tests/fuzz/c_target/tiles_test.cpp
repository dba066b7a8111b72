// SPDX-License-Identifier: MIT
// Tiles in the C target against the interpreter: every kernel, every way to combine them, odd sizes, all orders.
#include "contest.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cyclotron::fuzz {
namespace {

using Given = std::map<std::string, std::string>;

const std::vector<std::string> tile_flags{"-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"};

std::string verdict(const std::string& text, const Given& given = {}) {
  Compiled compiled(text);
  const auto bound = compiled.accepted() ? compiled.bind(given) : std::nullopt;
  if (!bound) return "cannot be run: " + compiled.messages();
  Contest contest(text, tile_flags);
  if (contest.start().kind != Verdict::Kind::agrees)
    return std::string(name_of(contest.start().kind)) + ": " + contest.start().what;
  const Verdict v = contest.run(bound->sizes, bound->tensors);
  return v.kind == Verdict::Kind::agrees ? "" : std::string(name_of(v.kind)) + ": " + v.what;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

const std::string cholesky = R"(tensor A(T, T, b, b)
tensor L(T, T, b, b)
L(i,j) = TRSM_RLT(L(j,j), A(i,j) - sum[k](GEMM_NT(L(i,k), L(j,k))))   : k < j, j < i
L(i,i) = POTRF(A(i,i) - sum[k](SYRK(L(i,k))))                         : k < i
default A = tiles(spd(n=12, seed=1), 3, 3)
)";

const std::string lu = R"(tensor A(T, T, b, b)
tensor X(T, T, b, b)
X(i,i) = GETRF(A(i,i) - sum[k](GEMM(X(i,k), X(k,i))))              : k < i
X(i,j) = TRSM_LLU(X(i,i), A(i,j) - sum[k](GEMM(X(i,k), X(k,j))))   : k < i, i < j
X(i,j) = TRSM_RUN(X(j,j), A(i,j) - sum[k](GEMM(X(i,k), X(k,j))))   : k < j, j < i
default A = tiles(spd(n=12, seed=1), 3, 3)
)";

TEST(CTiles, FactorizationsInEveryOrder) {
  int run = 0;
  for (const std::string& text : {cholesky, lu}) {
    std::string order = "ijk";
    do {
      const std::string spelled{order[0], ',', order[1], ',', order[2]};
      const std::string found = verdict(text + "schedule s { order " + spelled + " }\n");
      if (found.starts_with("refused")) continue;
      EXPECT_EQ(found, "") << spelled << "\n" << text;
      ++run;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GE(run, 6);
}

TEST(CTiles, TilesOfAllSizes) {
  for (const char* size : {"1", "2", "4", "12"})
    EXPECT_EQ(verdict(replaced(cholesky, "3, 3", std::string(size) + ", " + size)), "") << size;
  EXPECT_EQ(verdict(replaced(replaced(lu, "3, 3", "7, 7"), "n=12", "n=21")), "");
}

TEST(CTiles, SinglePrecisionIsRoundedWhereItIsStored) {
  EXPECT_EQ(verdict(replaced(cholesky, "b, b)\n", "b, b): f32\n")), "");
  EXPECT_EQ(verdict(replaced(lu, "tensor X(T, T, b, b)", "tensor X(T, T, b, b): f32")), "");
}

TEST(CTiles, InParallel) {
  EXPECT_EQ(verdict(lu + "schedule s {\n  order k, i, j\n  parallel j\n}\n"), "");
  EXPECT_EQ(verdict("tensor A(M, P, b, b)\ntensor B(P, N, b, b)\ntensor C(M, N, b, b): f32\n"
                    "C(i,j) = sum[k](GEMM_TN(A(i,k), B(k,j)))\n"
                    "default A = tiles(random(n=12, m=8, seed=1), 4, 4)\n"
                    "default B = tiles(random(n=8, m=16, seed=2), 4, 4)\nschedule s { parallel i }\n"),
            "");
}

const std::string every_kernel = R"(tensor A(T, m, k)
tensor B(T, k, n)
tensor C(T, n, k)
tensor D(T, k, m)
tensor P(T, m, m)
tensor R(T, n, n)
tensor v(T, k)
tensor w(T, m)
tensor u(T, n)
tensor x1(T, m, n)
tensor x2(T, m, n)
tensor x3(T, m, n): f32
tensor x4(T, m)
tensor x5(T, m, m)
tensor x6(T, m, n)
tensor x7(T, m, n): {dense, dense, dense} order (2,0,1)
tensor x8(T, m, n)
tensor x9(T, m, n)
tensor y1(T, m, n)
tensor y2(T, m, n)
tensor y3(T, m)
tensor y4(T, m, m)
tensor y5(T, n, m)
tensor y6(T, m, n)
tensor y7(m, n)
tensor z1(T, m)
tensor z2(T, m, n)
tensor z3(T, m, n)
tensor z4(T, m)
tensor z5(T, m)
tensor z6(T, m, m)
tensor z7(T, m, m)
tensor y8(T, m, n): f32 {dense, dense, dense} order (2,1,0)
x1(i) = GEMM(A(i), B(i))
x2(i) = GEMM_NT(A(i), C(i))
x3(i) = GEMM_TN(D(i), B(i))
x4(i) = GEMV(A(i), v(i))
x5(i) = SYRK(A(i)) + P(i)
x6(i) = TRSM(P(i), x1(i))
x7(i) = TRSM_LLU(P(i), x1(i) - x2(i))
x8(i) = TRSM_LLT(P(i), x1(i) - (x7(i) - x3(i)))
x9(i) = TRSM_LUN(P(i), -x1(i))
y1(i) = TRSM_RLT(R(i), x1(i) * 2)
y2(i) = TRSM_RUN(R(i), x3(i) / 3)
y3(i) = TRSV(P(i), w(i) + x4(i))
y4(i) = POTRF(x5(i)) - GETRF(P(i))
y5(i) = TRANSPOSE(x1(i))
y6(i) = select(i > 0, GEMM(A(i), B(i)) - x1(i), sqrt(2.0) * GEMM(A(i), B(i)) + i * x1(i))
y7 = sum[i, j](GEMM(A(i), B(j)) - TRSM(P(i), x1(j)))
y8(i) = i + 0.5
z1(i) = GEMV_T(D(i), v(i)) - w(i)
z2(i) = sum[j](GER(w(j), u(i))) - GER(x4(i), u(i))
z3(i) = TRSM_RLN(R(i), x1(i) - x2(i))
z4(i) = TRSV_LU(P(i), w(i) + x4(i))
z5(i) = TRSV_UN(P(i), w(i) - x4(i))
z6(i) = GETRF_L(P(i)) - P(i)
z7(i) = sum[j](GETRF_U(P(i) + P(j)))
default A = random(seed=1)
default B = random(seed=2)
default C = random(seed=3)
default D = random(seed=4)
default v = random(seed=5)
default w = random(seed=6)
default u = random(seed=7)
default P = [[[4, 1, 0], [1, 5, 2], [0, 2, 6]], [[3, 1, 1], [1, 4, 0], [1, 0, 5]]]
default R = [[[4, 1], [1, 3]], [[2, 1], [1, 5]]]
)";

TEST(CTiles, EveryKernelAndOperator) {
  for (const char* k : {"1", "4", "0"}) EXPECT_EQ(verdict(every_kernel, {{"k", k}}), "") << k;
}

TEST(CTiles, NoTilesAndEmptyTiles) {
  const std::string text = "tensor A(T, b, c)\ntensor X(T, b, c)\ntensor Y(T, b, b)\ntensor Z(b, c)\n"
                           "X(i) = 2 * A(i) - A(i) / 3\nY(i) = GEMM_NT(A(i), X(i))\nZ = sum[i](X(i))\n"
                           "default A = random(seed=1)\n";
  for (const Given& given : {Given{{"T", "0"}, {"b", "2"}, {"c", "3"}}, Given{{"T", "2"}, {"b", "0"}, {"c", "3"}},
                             Given{{"T", "2"}, {"b", "3"}, {"c", "0"}}, Given{{"T", "1"}, {"b", "1"}, {"c", "1"}}})
    EXPECT_EQ(verdict(text, given), "");
}

TEST(CTiles, StepsAndNestedSums) {
  EXPECT_EQ(verdict("tensor A(b, b)\ntensor x0(m, b)\ntensor x(m, b)\ntensor y(b)\nx^0(i) = x0(i)\n"
                    "x^t(i) = GEMV(A, x^(t-1)(i)) - 0.5 * x^(t-1)(i) : 1 <= t <= K\ny = sum[i](x(i))\n"
                    "default A = random(seed=1)\ndefault x0 = random(seed=2)\ndefault b = 3\ndefault m = 2\n"
                    "default K = 5\n"),
            "");
  EXPECT_EQ(verdict("tensor A(T, T, b, b)\ntensor w(T)\ntensor X(T, b, b)\n"
                    "X(i) = sum[j](GEMM(A(i,j), sum[k](A(j,k) * sum[l](w(l)*w(k)) - A(k,i)))) : l < j, k < i\n"
                    "default A = tiles(random(n=9, m=9, seed=1), 3, 3)\ndefault w = random(seed=3)\n"),
            "");
}

} // namespace
} // namespace cyclotron::fuzz
