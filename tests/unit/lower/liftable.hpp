// SPDX-License-Identifier: MIT
// Scalar programs that can be lifted to tiles, and the equations that come out.
#pragma once

#include <string>
#include <vector>

namespace cyclotron::lower {

struct Liftable {
  std::string name;
  std::string text;  // with defaults for all inputs; sizes are given by the tests
  std::string tiled; // the indices that are tiled
  std::string equations;
};

inline const std::vector<Liftable>& liftable_programs() {
  static const std::vector<Liftable> list = {
      {"product", R"(tensor A(m, p)
tensor B(p, n)
tensor C(m, n)
C(i,j) = A(i,k) * B(k,j)
default A = random(seed=1)
default B = random(seed=2)
)",
       "ijk", "C(i,j) = sum[k](GEMM(A(i,k), B(k,j)))\n"},

      {"product, one of its indices left alone", R"(tensor A(m, p)
tensor B(p, n)
tensor C(m, n)
C(i,j) = A(i,k) * B(k,j)
default A = random(seed=1)
default B = random(seed=2)
)",
       "ij", "C(i,j) = sum[k](GER(A(i,k), B(k,j)))\n"},

      {"products with transposes", R"(tensor A(p, m)
tensor B(p, n)
tensor C(m, n)
tensor D(m, m)
tensor E(n, m)
tensor F(m, p)
C(i,j) = A(k,i) * B(k,j)
D(i,r) = C(i,j) * C(r,j)
E(j,i) = B(k,j) * A(k,i)
F(i,k) = A(k,i)
default A = random(seed=1)
default B = random(seed=2)
)",
       "ijkr",
       "C(i,j) = sum[k](GEMM_TN(A(k,i), B(k,j)))\n"
       "D(i,r) = sum[j](GEMM_NT(C(i,j), C(r,j)))\n"
       "E(j,i) = sum[k](GEMM_TN(B(k,j), A(k,i)))\n"
       "F(i,k) = TRANSPOSE(A(k,i))\n"},

      {"batch of products", R"(tensor A(q, m, p)
tensor B(q, p, n)
tensor C(q, m, n)
C(t,i,j) = A(t,i,k) * B(t,k,j)
default A = random(seed=1)
default B = random(seed=2)
)",
       "ijk", "C(t,i,j) = sum[k](GEMM(A(t,i,k), B(t,k,j)))\n"},

      {"product of three", R"(tensor A(m, p)
tensor B(p, q)
tensor C(q, n)
tensor D(m, n)
D(i,j) = A(i,k) * B(k,l) * C(l,j)
default A = random(seed=1)
default B = random(seed=2)
default C = random(seed=3)
)",
       "ijkl", "D(i,j) = sum[k, l](GEMM(GEMM(A(i,k), B(k,l)), C(l,j)))\n"},

      {"product with a sum inside", R"(tensor A(m, p)
tensor B(p, n)
tensor C(p, n)
tensor D(m, n)
D(i,j) = sum[k](A(i,k) * (B(k,j) - 3 * C(k,j)) + 2 * A(i,k) * C(k,j) / n)
default A = random(seed=1)
default B = random(seed=2)
default C = random(seed=3)
)",
       "ijk", "D(i,j) = sum[k](GEMM(A(i,k), B(k,j) - 3 * C(k,j)) + 2 * GEMM(A(i,k), C(k,j)) / n)\n"},

      {"residual", R"(tensor A(m, p)
tensor X(p, n)
tensor B(m, n)
tensor R(m, n)
R(i,j) = B(i,j) - A(i,k) * X(k,j)
default A = random(seed=1)
default X = random(seed=2)
default B = random(seed=3)
)",
       "ijk", "R(i,j) = B(i,j) - sum[k](GEMM(A(i,k), X(k,j)))\n"},

      {"matrix and vector", R"(tensor alpha
tensor beta
tensor B(m, n): csc
tensor c(m)
tensor d(n)
tensor x(n)
tensor y(m)
x(i) = alpha * B(j,i) * c(j) + beta * d(i)
y(j) = c(j) - B(j,i) * x(i)
default alpha = 2
default beta = 0.5
default B = random(seed=1)
default c = random(seed=2)
default d = random(seed=3)
)",
       "ij",
       "x(i) = sum[j](alpha * GEMV_T(B(j,i), c(j))) + beta * d(i)\n"
       "y(j) = c(j) - sum[i](GEMV(B(j,i), x(i)))\n"},

      {"sums, multiples and numbers", R"(let half = 1 / 2
tensor A(m, n)
tensor B(m, n): f32
tensor w(q)
tensor C(q, m, n)
tensor D(m, n)
C(t,i,j) = select(t > 1, w(t), half) * (2 * A(i,j) / (n + 1) - -B(i,j)) - A(i,j)
D(i,j) = 3
default A = random(seed=1)
default B = random(seed=2)
default w = random(seed=3)
)",
       "ij",
       "C(t,i,j) = select(t > 1, w(t), half) * (2 * A(i,j) / (n + 1) - -B(i,j)) - A(i,j)\n"
       "D(i,j) = 3\n"},

      {"forward substitution", R"(tensor L(n, n)
tensor b(n)
tensor x(n)
tensor y(n)
x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i
y(i) = b(i) - sum[j](L(i,j) * y(j))            : i > j
default L = triangular(seed=1)
default b = random(seed=2)
)",
       "ij",
       "x(i) = TRSV(L(i,i), b(i) - sum[j](GEMV(L(i,j), x(j)))) : j < i\n"
       "y(i) = TRSV_LU(L(i,i), b(i) - sum[j](GEMV(L(i,j), y(j)))) : i > j\n"},

      {"backward substitution", R"(tensor U(n, n)
tensor b(n)
tensor x(n)
tensor y(n)
x(i) = (b(i) - sum[j](U(i,j) * x(j))) / U(i,i) : j > i
y(i) = (b(i) - sum[j](y(j) * U(j,i))) / U(i,i) : j < i
default U = triangular(upper=1, seed=1)
default b = random(seed=2)
)",
       "ij",
       "x(i) = TRSV_UN(U(i,i), b(i) - sum[j](GEMV(U(i,j), x(j)))) : j > i\n"
       "y(i) = TRSV(TRANSPOSE(U(i,i)), b(i) - sum[j](GEMV_T(U(j,i), y(j)))) : j < i\n"},

      {"many right-hand sides, one by one", R"(tensor L(n, n)
tensor B(n, m)
tensor X(n, m)
X(i,c) = (B(i,c) - sum[j](L(i,j) * X(j,c))) / L(i,i) : j < i
default L = triangular(seed=1)
default B = random(seed=2)
)",
       "ij", "X(i,c) = TRSV(L(i,i), B(i,c) - sum[j](GEMV(L(i,j), X(j,c)))) : j < i\n"},

      {"solves from the left", R"(tensor L(n, n)
tensor U(n, n)
tensor B(n, m)
tensor X(n, m)
tensor Y(n, m)
tensor Z(n, m)
tensor V(n, m)
tensor W(n, m)
X(i,c) = (B(i,c) - sum[j](L(i,j) * X(j,c))) / L(i,i) : j < i
Y(i,c) = (B(i,c) - sum[j](L(j,i) * Y(j,c))) / L(i,i) : j > i
Z(i,c) = (B(i,c) - sum[j](U(i,j) * Z(j,c))) / U(i,i) : i < j
V(i,c) = (B(i,c) - sum[j](U(j,i) * V(j,c))) / U(i,i) : j < i
W(i,c) = -sum[j](W(j,c) * L(i,j)) + B(i,c) + 2 * X(i,c) : j < i
default L = triangular(seed=1)
default U = triangular(upper=1, seed=2)
default B = random(seed=3)
)",
       "ijc",
       "X(i,c) = TRSM(L(i,i), B(i,c) - sum[j](GEMM(L(i,j), X(j,c)))) : j < i\n"
       "Y(i,c) = TRSM_LLT(L(i,i), B(i,c) - sum[j](GEMM_TN(L(j,i), Y(j,c)))) : j > i\n"
       "Z(i,c) = TRSM_LUN(U(i,i), B(i,c) - sum[j](GEMM(U(i,j), Z(j,c)))) : i < j\n"
       "V(i,c) = TRSM(TRANSPOSE(U(i,i)), B(i,c) - sum[j](GEMM_TN(U(j,i), V(j,c)))) : j < i\n"
       "W(i,c) = TRSM_LLU(L(i,i), -sum[j](GEMM(L(i,j), W(j,c))) + B(i,c) + 2 * X(i,c)) : j < i\n"},

      {"solves from the right", R"(tensor L(n, n)
tensor U(n, n)
tensor B(m, n)
tensor X(m, n)
tensor Y(m, n)
tensor Z(m, n)
tensor V(m, n)
tensor W(m, n)
X(c,i) = (B(c,i) - sum[j](X(c,j) * L(j,i))) / L(i,i) : j > i
Y(c,i) = (B(c,i) - sum[j](Y(c,j) * L(i,j))) / L(i,i) : j < i
Z(c,i) = (B(c,i) - sum[j](Z(c,j) * U(j,i))) / U(i,i) : j < i
V(c,i) = (B(c,i) - sum[j](V(c,j) * U(i,j))) / U(i,i) : j > i
W(c,i) = B(c,i) - sum[j](W(c,j) * L(i,j))            : j < i
default L = triangular(seed=1)
default U = triangular(upper=1, seed=2)
default B = random(seed=3)
)",
       "ijc",
       "X(c,i) = TRSM_RLN(L(i,i), B(c,i) - sum[j](GEMM(X(c,j), L(j,i)))) : j > i\n"
       "Y(c,i) = TRSM_RLT(L(i,i), B(c,i) - sum[j](GEMM_NT(Y(c,j), L(i,j)))) : j < i\n"
       "Z(c,i) = TRSM_RUN(U(i,i), B(c,i) - sum[j](GEMM(Z(c,j), U(j,i)))) : j < i\n"
       "V(c,i) = TRSM_RLN(TRANSPOSE(U(i,i)), B(c,i) - sum[j](GEMM_NT(V(c,j), U(i,j)))) : j > i\n"
       "W(c,i) = TRANSPOSE(TRSM_LLU(L(i,i), TRANSPOSE(B(c,i)) - sum[j](GEMM_NT(L(i,j), W(c,j))))) : j < i\n"},

      {"Cholesky", R"(tensor A(n, n): csr
tensor L(n, n): csr
L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j)   : k < j, j < i
L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k)))        : k < i
default A = spd(seed=1)
)",
       "ijk",
       "L(i,j) = TRSM_RLT(L(j,j), A(i,j) - sum[k](GEMM_NT(L(i,k), L(j,k)))) : k < j, j < i\n"
       "L(i,i) = POTRF(A(i,i) - sum[k](SYRK(L(i,k)))) : k < i\n"},

      {"Cholesky with other names and more constraints", R"(tensor A(n, n)
tensor G(n, n)
G(r,r) = sqrt(A(r,r) - sum[i](G(r,i) * G(r,i)))        : i < r
G(i,j) = (A(i,j) - sum[r](G(i,r) * G(j,r))) / G(j,j)   : 0 <= r < j, j < i < n, r < j < i
default A = spd(seed=1)
)",
       "ijr",
       "G(i,i) = POTRF(A(i,i) - sum[r](SYRK(G(i,r)))) : r < i\n"
       "G(i,j) = TRSM_RLT(G(j,j), A(i,j) - sum[r](GEMM_NT(G(i,r), G(j,r)))) : r < j, j < i\n"},

      {"Cholesky, the upper factor", R"(tensor A(n, n)
tensor U(n, n)
U(i,j) = (A(i,j) - sum[k](U(k,i) * U(k,j))) / U(i,i)   : k < i, i < j
U(i,i) = sqrt(A(i,i) - sum[k](U(k,i) * U(k,i)))        : k < i
default A = spd(seed=1)
)",
       "ijk",
       "U(i,j) = TRSM(TRANSPOSE(U(i,i)), A(i,j) - sum[k](GEMM_TN(U(k,i), U(k,j)))) : k < i, i < j\n"
       "U(i,i) = TRANSPOSE(POTRF(TRANSPOSE(A(i,i)) - sum[k](SYRK(TRANSPOSE(U(k,i)))))) : k < i\n"},

      {"LU", R"(tensor A(n, n)
tensor L(n, n)
tensor U(n, n)
U(i,j) = A(i,j) - sum[k](L(i,k) * U(k,j))               : k < i, i <= j
L(i,j) = (A(i,j) - sum[k](L(i,k) * U(k,j))) / U(j,j)    : k < j, j < i
L(i,i) = 1
default A = spd(seed=1)
)",
       "ijk",
       "U(i,j) = TRSM_LLU(L(i,i), A(i,j) - sum[k](GEMM(L(i,k), U(k,j)))) : k < i, i < j\n"
       "U(i,i) = GETRF_U(A(i,i) - sum[k](GEMM(L(i,k), U(k,i)))) : k < i\n"
       "L(i,j) = TRSM_RUN(U(j,j), A(i,j) - sum[k](GEMM(L(i,k), U(k,j)))) : k < j, j < i\n"
       "L(i,i) = GETRF_L(A(i,i) - sum[k](GEMM(L(i,k), U(k,i)))) : k < i\n"},

      {"LU in one tensor", R"(tensor A(n, n)
tensor X(n, n)
X(i,j) = A(i,j) - sum[k](X(i,k) * X(k,j))               : k < i, i <= j
X(i,j) = (A(i,j) - sum[k](X(i,k) * X(k,j))) / X(j,j)    : k < j, j < i
default A = spd(seed=1)
)",
       "ijk",
       "X(i,j) = TRSM_LLU(X(i,i), A(i,j) - sum[k](GEMM(X(i,k), X(k,j)))) : k < i, i < j\n"
       "X(i,i) = GETRF(A(i,i) - sum[k](GEMM(X(i,k), X(k,i)))) : k < i\n"
       "X(i,j) = TRSM_RUN(X(j,j), A(i,j) - sum[k](GEMM(X(i,k), X(k,j)))) : k < j, j < i\n"},

      {"a system solved by its Cholesky factor", R"(tensor A(n, n)
tensor B(n, m)
tensor L(n, n)
tensor Y(n, m)
tensor X(n, m)
tensor R(n, m)
L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j)   : k < j, j < i
L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k)))        : k < i
Y(i,c) = (B(i,c) - sum[k](L(i,k) * Y(k,c))) / L(i,i)   : k < i
X(i,c) = (Y(i,c) - sum[k](L(k,i) * X(k,c))) / L(i,i)   : k > i
R(i,c) = B(i,c) - A(i,k) * X(k,c)
default A = spd(seed=1)
default B = random(seed=2)
)",
       "ijkc",
       "L(i,j) = TRSM_RLT(L(j,j), A(i,j) - sum[k](GEMM_NT(L(i,k), L(j,k)))) : k < j, j < i\n"
       "L(i,i) = POTRF(A(i,i) - sum[k](SYRK(L(i,k)))) : k < i\n"
       "Y(i,c) = TRSM(L(i,i), B(i,c) - sum[k](GEMM(L(i,k), Y(k,c)))) : k < i\n"
       "X(i,c) = TRSM_LLT(L(i,i), Y(i,c) - sum[k](GEMM_TN(L(k,i), X(k,c)))) : k > i\n"
       "R(i,c) = B(i,c) - sum[k](GEMM(A(i,k), X(k,c)))\n"},

      {"a stepped tensor", R"(tensor A(n, n)
tensor x0(n)
tensor x(n)
x^0(i) = x0(i)
x^t(i) = x^(t-1)(i) - A(i,j) * x^(t-1)(j) / 4 : 1 <= t <= 3
default A = random(seed=1)
default x0 = random(seed=2)
)",
       "ij", "x^0(i) = x0(i)\nx^t(i) = x^(t-1)(i) - sum[j](GEMV(A(i,j), x^(t-1)(j)) / 4) : 1 <= t <= 3\n"},
  };
  return list;
}

} // namespace cyclotron::lower
