// SPDX-License-Identifier: MIT
#include "families.hpp"

#include <cstdlib>

namespace cyclotron::fuzz {

namespace {

std::vector<Family> factorizations() {
  return {
      {"lower solve",
       "tensor L(n,n)\ntensor b(n)\ntensor x(n)\n"
       "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\n",
       {{"L", Content::lower}}},
      {"upper solve",
       "tensor U(n,n)\ntensor b(n)\ntensor x(n)\n"
       "x(i) = (b(i) - sum[j](U(i,j) * x(j))) / U(i,i) : i < j\n",
       {{"U", Content::upper}}},
      {"transposed solve",
       "tensor L(n,n)\ntensor b(n)\ntensor x(n)\n"
       "x(i) = (b(i) - sum[j](L(j,i) * x(j))) / L(i,i) : i < j\n",
       {{"L", Content::lower}}},
      {"solve of many",
       "tensor L(n,n)\ntensor B(n,m)\ntensor X(n,m)\n"
       "X(i,c) = (B(i,c) - sum[j](L(i,j) * X(j,c))) / L(i,i) : j < i\n",
       {{"L", Content::lower}}},
      {"both solves",
       "tensor L(n,n)\ntensor b(n)\ntensor y(n)\ntensor x(n)\n"
       "y(i) = (b(i) - sum[j](L(i,j) * y(j))) / L(i,i) : j < i\n"
       "x(i) = (y(i) - sum[j](L(j,i) * x(j))) / L(i,i) : i < j\n",
       {{"L", Content::lower}}},
      {"unit solve",
       "tensor L(n,n)\ntensor b(n)\ntensor x(n)\n"
       "x(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i\n",
       {{"L", Content::lower}}},
      {"inverse of lower",
       "tensor L(n,n)\ntensor X(n,n)\n"
       "X(i,i) = 1 / L(i,i)\n"
       "X(i,c) = -sum[j](L(i,j) * X(j,c)) / L(i,i) : c < i, c <= j, j < i\n",
       {{"L", Content::lower}}},
      {"cholesky",
       "tensor A(n,n)\ntensor L(n,n)\n"
       "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i\n"
       "L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k))) : k < i\n",
       {{"A", Content::spd}}},
      {"incomplete lu",
       "tensor A(n,n)\ntensor L(n,n)\ntensor U(n,n)\n"
       "U(i,j) = select(abs(A(i,j)) > 0, A(i,j) - sum[k](L(i,k) * U(k,j)), 0) : k < i, i <= j\n"
       "L(i,j) = select(abs(A(i,j)) > 0, (A(i,j) - sum[k](L(i,k) * U(k,j))) / U(j,j), 0) : k < j, j < i\n"
       "L(i,i) = 1\n",
       {{"A", Content::dominant}}},
      {"factors and solves",
       "tensor A(n,n)\ntensor b(n)\ntensor L(n,n)\ntensor D(n)\ntensor z(n)\ntensor x(n)\n"
       "D(j) = A(j,j) - sum[k](L(j,k) * L(j,k) * D(k)) : k < j\n"
       "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k) * D(k))) / D(j) : k < j, j < i\n"
       "z(i) = b(i) - sum[k](L(i,k) * z(k)) : k < i\n"
       "x(i) = z(i) / D(i) - sum[k](L(k,i) * x(k)) : k > i\n",
       {{"A", Content::spd}}},
      {"levinson",
       "assume 2 <= n\ntensor r(n)\ntensor a(n,n)\ntensor e(n)\ntensor c(n)\n"
       "e(0) = 9 + abs(r(0))\n"
       "c(p) = (r(p) - sum[j](a(p-1,j) * r(p-j))) / e(p-1) : p >= 1, 1 <= j <= p-1\n"
       "a(p,p) = c(p) : p >= 1\n"
       "a(p,j) = a(p-1,j) - c(p) * a(p-1,p-j) : p >= 1, 1 <= j <= p-1\n"
       "e(p) = e(p-1) * (1 + c(p) * c(p)) : p >= 1\n",
       {}},
      {"cholesky in one equation",
       "tensor A(n,n)\ntensor L(n,n)\n"
       "L(i,j) = select(i == j, sqrt(A(i,j) - sum[k](L(i,k) * L(j,k))), "
       "(A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j)) : k < j, j <= i\n",
       {{"A", Content::spd}}},
      {"ldl",
       "tensor A(n,n)\ntensor L(n,n)\ntensor D(n)\n"
       "D(j) = A(j,j) - sum[k](L(j,k) * L(j,k) * D(k)) : k < j\n"
       "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k) * D(k))) / D(j) : k < j, j < i\n"
       "L(i,i) = 1\n",
       {{"A", Content::spd}}},
      {"lu",
       "tensor A(n,n)\ntensor L(n,n)\ntensor U(n,n)\n"
       "U(i,j) = A(i,j) - sum[k](L(i,k) * U(k,j)) : k < i, i <= j\n"
       "L(i,j) = (A(i,j) - sum[k](L(i,k) * U(k,j))) / U(j,j) : k < j, j < i\n"
       "L(i,i) = 1\n",
       {{"A", Content::dominant}}},
      {"lu in one tensor",
       "tensor A(n,n)\ntensor F(n,n)\n"
       "F(i,j) = A(i,j) - sum[k](F(i,k) * F(k,j)) : k < i, i <= j\n"
       "F(i,j) = (A(i,j) - sum[k](F(i,k) * F(k,j))) / F(j,j) : k < j, j < i\n",
       {{"A", Content::dominant}}},
      {"incomplete cholesky",
       "tensor A(n,n)\ntensor M(n,n)\ntensor L(n,n)\n"
       "L(i,j) = M(i,j) * (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i\n"
       "L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k))) : k < i\n",
       {{"A", Content::spd}}},
      {"tridiagonal",
       "tensor A(n,n)\ntensor b(n)\ntensor c(n)\ntensor d(n)\n"
       "c(0) = A(0,0)\n"
       "c(i) = A(i,i) - A(i,i-1) * A(i-1,i) / c(i-1) : 1 <= i\n"
       "d(0) = b(0)\n"
       "d(i) = b(i) - A(i,i-1) / c(i-1) * d(i-1) : 1 <= i\n"
       "assume 1 <= n\n",
       {{"A", Content::dominant}}},
  };
}

std::vector<Family> steps() {
  return {
      {"jacobi",
       "tensor A(n,n)\ntensor b(n)\ntensor x(n)\n"
       "x^0(i) = b(i)\n"
       "x^t(i) = (b(i) - sum[j](select(i != j, A(i,j) * x^(t-1)(j), 0))) / A(i,i) : 1 <= t <= T\n",
       {{"A", Content::dominant}}},
      {"gauss-seidel",
       "tensor A(n,n)\ntensor b(n)\ntensor x(n)\n"
       "x^0(i) = b(i)\n"
       "x^t(i) = (b(i) - sum[j](A(i,j) * x^t(j)) - sum[k](A(i,k) * x^(t-1)(k))) / A(i,i) : 1 <= t <= T, j < i, i < k\n",
       {{"A", Content::dominant}}},
      {"floyd-warshall",
       "tensor G(n,n)\ntensor D(n,n)\n"
       "D^(-1)(i,i) = 0\n"
       "D^(-1)(i,j) = select(G(i,j) > 0, G(i,j), inf) : i != j\n"
       "D^k(i,j) = min(D^(k-1)(i,j), D^(k-1)(i,k) + D^(k-1)(k,j))\n",
       {}},
      {"closure",
       "tensor G(n,n): bool\ntensor R(n,n): bool\n"
       "R^(-1)(i,j) = G(i,j)\n"
       "R^k(i,j) = R^(k-1)(i,j) or R^(k-1)(i,k) and R^(k-1)(k,j)\n",
       {}},
      {"heat, cold boundary",
       "tensor a(n)\ntensor u(n)\n"
       "u^0(i) = a(i)\n"
       "u^t(i) = 0.5 * u^(t-1)(i) + 0.25 * (u^(t-1)(i-1) + u^(t-1)(i+1)) : 1 <= t <= T, 1 <= i < n-1\n",
       {}},
      {"shrinking",
       "tensor a(n)\ntensor u(n)\n"
       "u^0(i) = a(i)\n"
       "u^t(i) = u^(t-1)(i) + u^(t-1)(i-1) : 1 <= t <= T, t <= i\n",
       {}},
      {"every second element",
       "tensor a(2*n+2)\ntensor u(2*n+2)\n"
       "u^0(i) = a(i)\n"
       "u^t(2*i) = u^(t-1)(2*i) + u^(t-1)(2*i+1) : 1 <= t <= T\n",
       {}},
      {"alternating",
       "assume 2 <= n\ntensor a(n)\ntensor u(n)\ntensor v(n)\n"
       "u^0(i) = a(i)\n"
       "v^0(i) = 2 * a(i)\n"
       "u^t(i) = v^(t-1)(i) + 1 : 1 <= t <= T\n"
       "v^t(i) = u^t(i) - u^(t-1)(i) : 1 <= t <= T, i < n-1\n",
       {}},
      {"two steps back",
       "tensor a(n)\ntensor u(n)\ntensor s\n"
       "u^0(i) = a(i)\n"
       "u^1(i) = 2 * a(i)\n"
       "u^t(i) = u^(t-1)(i) - u^(t-2)(i) : 2 <= t <= T\n"
       "s = sum[i](u(i))\n",
       {}},
      {"gram-schmidt",
       "assume n <= m\ntensor A(m,n)\ntensor Q(m,n)\ntensor R(n,n)\ntensor V(m,n)\n"
       "V^0(i,j) = A(i,j)\n"
       "V^k(i,j) = V^(k-1)(i,j) - Q(i,k-1) * R(k-1,j) : 1 <= k, k <= j\n"
       "R(j,j) = sqrt(1 + sum[i](V^j(i,j) * V^j(i,j)))\n"
       "Q(i,j) = V^j(i,j) / R(j,j)\n"
       "R(k,j) = sum[i](Q(i,k) * V^k(i,j)) : k < j\n",
       {{"A", Content::dominant}}},
      {"over-relaxation",
       "let w = 1.3\ntensor A(n,n)\ntensor b(n)\ntensor x(n)\n"
       "x^0(i) = 0\n"
       "x^t(i) = (1 - w) * x^(t-1)(i) + w * (b(i) - sum[j](select(j < i, A(i,j) * x^t(j), 0)) "
       "- sum[k](select(k <= i, 0, A(i,k) * x^(t-1)(k)))) / A(i,i) : 1 <= t <= T\n",
       {{"A", Content::dominant}}},
      {"waves over a graph",
       "tensor E(n,n)\ntensor f(n): bool\ntensor v(n): bool\n"
       "f^0(i) = i == 0\n"
       "v^0(i) = i == 0\n"
       "f^t(i) = any[j](abs(E(j,i)) > 0 and f^(t-1)(j)) and not v^(t-1)(i) : 1 <= t <= T\n"
       "v^t(i) = v^(t-1)(i) or f^t(i) : 1 <= t <= T\n",
       {}},
      {"network that remembers",
       "tensor W(h,h)\ntensor U(h,d)\ntensor x(T,d)\ntensor s(h)\ntensor g(T,h)\n"
       "s^0(i) = 0\n"
       "s^t(i) = 1 / (1 + exp(0 - sum[j](W(i,j) * s^(t-1)(j)) - sum[k](U(i,k) * x(t-1,k)))) : 1 <= t <= T\n"
       "g(t,i) = s^(t+1)(i) * 2\n",
       {}},
      {"power iteration",
       "tensor A(n,n)\ntensor x(n)\ntensor s\n"
       "x^0(i) = 1\n"
       "s^t = sum[j](abs(x^t(j))) : 0 <= t <= T\n"
       "x^t(i) = sum[j](A(i,j) * x^(t-1)(j)) / (1 + s^(t-1)) : 1 <= t <= T\n",
       {}},
  };
}

std::vector<Family> products() {
  return {
      plain("spmv", "tensor A(m,n)\ntensor x(n)\ntensor y(m)\ny(i) = A(i,j) * x(j)\n"),
      plain("transposed spmv", "tensor A(m,n)\ntensor x(m)\ntensor y(n)\ny(j) = A(i,j) * x(i)\n"),
      plain("spgemm", "tensor A(m,k)\ntensor B(k,n)\ntensor C(m,n)\nC(i,j) = A(i,l) * B(l,j)\n"),
      plain("square", "tensor B(n,n)\ntensor C(n,n)\nC(i,j) = B(i,l) * B(l,j)\n"),
      plain("with its transpose", "tensor B(m,n)\ntensor C(m,m)\nC(i,j) = B(i,l) * B(j,l)\n"),
      plain("symmetric part", "tensor A(n,n)\ntensor S(n,n)\nS(i,j) = A(i,j) + A(j,i)\n"),
      plain("sddmm", "tensor S(m,n)\ntensor A(m,k)\ntensor B(k,n)\ntensor C(m,n)\n"
                     "C(i,j) = S(i,j) * sum[l](A(i,l) * B(l,j))\n"),
      plain("product and sum", "tensor a(n)\ntensor b(n)\ntensor c(n)\ntensor d(n)\nd(i) = a(i) * b(i) + c(i)\n"),
      plain("three added", "tensor A(m,n)\ntensor B(m,n)\ntensor C(m,n)\ntensor D(m,n)\n"
                           "D(i,j) = A(i,j) + B(i,j) - C(i,j)\n"),
      plain("added in single precision", "tensor A(m,n): f32\ntensor B(m,n): f32\ntensor C(m,n): f32\n"
                                         "C(i,j) = 2 * A(i,j) + B(i,j)\n"),
      plain("sum times", "tensor A(m,n)\ntensor B(m,n)\ntensor C(m,n)\ntensor D(m,n)\n"
                         "D(i,j) = (A(i,j) + B(i,j)) * C(i,j)\n"),
      plain("three multiplied", "tensor A(m,n)\ntensor B(m,n)\ntensor x(n)\ntensor y(m)\n"
                                "y(i) = A(i,j) * B(i,j) * x(j)\n"),
      plain("residual", "tensor A(m,n)\ntensor x(n)\ntensor b(m)\ntensor r(m)\nr(i) = b(i) - sum[j](A(i,j) * x(j))\n"),
      plain("two sums", "tensor A(m,n)\ntensor B(m,n)\ntensor x(n)\ntensor y(m)\n"
                        "y(i) = sum[j](A(i,j) * x(j)) * sum[k](B(i,k))\n"),
      plain("sum in a sum", "tensor A(m,n)\ntensor B(n,k)\ntensor y(m)\n"
                            "y(i) = sum[j](A(i,j) * sum[l](B(j,l) * B(j,l)))\n"),
      plain("ttv", "tensor X(m,n,k)\ntensor v(k)\ntensor Y(m,n)\nY(i,j) = X(i,j,l) * v(l)\n"),
      plain("ttm", "tensor X(m,n,k)\ntensor B(q,k)\ntensor Y(m,n,q)\nY(i,j,p) = X(i,j,l) * B(p,l)\n"),
      plain("mttkrp", "tensor X(m,k,l)\ntensor C(k,n)\ntensor D(l,n)\ntensor Y(m,n)\n"
                      "Y(i,j) = X(i,a,b) * C(a,j) * D(b,j)\n"),
      plain("tensors added", "tensor X(m,n,k)\ntensor Y(m,n,k)\ntensor Z(m,n,k)\nZ(i,j,l) = X(i,j,l) + 2 * Y(i,j,l)\n"),
      plain("inner product", "tensor X(m,n,k)\ntensor Y(m,n,k)\ntensor s\ns = X(i,j,l) * Y(i,j,l)\n"),
      plain("diagonal", "tensor A(n,n)\ntensor d(n)\ntensor s\nd(i) = A(i,i)\ns = sum[i](A(i,i))\n"),
      plain("put on the diagonal", "tensor d(n)\ntensor A(n,n)\nA(i,i) = d(i)\n"),
      plain("triangles", "tensor A(n,n)\ntensor L(n,n)\ntensor U(n,n)\n"
                         "L(i,j) = A(i,j) : j < i\nU(i,j) = 2 * A(i,j) : i <= j\n"),
  };
}

std::vector<Family> others() {
  return {
      plain("least", "tensor A(m,n)\ntensor y(m)\ny(i) = min[j](A(i,j))\n"),
      plain("greatest of products", "tensor A(m,n)\ntensor x(n)\ntensor y(m)\ny(i) = max[j](A(i,j) * x(j))\n"),
      plain("greatest column", "tensor A(m,n)\ntensor y(n)\ny(j) = max[i](abs(A(i,j)))\n"),
      plain("product of rows", "tensor A(m,n)\ntensor y(m)\ny(i) = prod[j](1 + A(i,j))\n"),
      plain("product of elements", "tensor A(m,n)\ntensor y(m)\ny(i) = prod[j](A(i,j))\n"),
      plain("least over two", "tensor X(m,n,k)\ntensor y(m)\ny(i) = min[j,l](X(i,j,l))\n"),
      plain("least distance", "tensor G(n,n)\ntensor x(n)\ntensor y(n)\n"
                              "y(i) = min[j](select(G(i,j) > 0, x(j) + G(i,j), inf))\n"),
      plain("any and all", "tensor A(m,n): bool\ntensor x(n): bool\ntensor y(m): bool\ntensor z(m): bool\n"
                           "y(i) = any[j](A(i,j) and x(j))\nz(i) = all[j](A(i,j) or not x(j))\n"),
      plain("nearly all", "tensor A(m,n): bool\ntensor z(m): bool\nz(i) = all[j](A(i,j))\n"),
      plain("count", "tensor A(m,n): i32\ntensor y(m): i64\ny(i) = sum[j](select(A(i,j) != 0, 1, 0))\n"),
      plain("whole product", "tensor A(m,k): i64\ntensor B(k,n): i32\ntensor C(m,n): i64\nC(i,j) = A(i,l) * B(l,j)\n"),
      plain("single precision",
            "tensor A(m,k): f32\ntensor B(k,n): f32\ntensor C(m,n): f32\nC(i,j) = A(i,l) * B(l,j)\n"),
      plain("shifted left", "tensor A(m,n)\ntensor B(m,n)\nB(i,j) = A(i,j) - A(i,j-1) : 1 <= j\nB(i,0) = A(i,0)\n"),
      plain("shifted down", "tensor A(m,n)\ntensor B(m,n)\nB(i,j) = A(i+1,j) : i < m-1\n"),
      plain("shifted to write", "tensor A(m,n)\ntensor B(m+1,n+2)\nB(i+1,j+2) = 3 * A(i,j)\n"),
      plain("stencil",
            "tensor A(m,n)\ntensor B(m,n)\n"
            "B(i,j) = A(i-1,j) + A(i+1,j) + A(i,j-1) + A(i,j+1) - 4 * A(i,j) : 1 <= i < m-1, 1 <= j < n-1\n"),
      plain("convolution", "tensor x(n+k)\ntensor w(k)\ntensor y(n)\ny(i) = sum[q](w(q) * x(i+q))\n"),
      plain("strided convolution", "tensor x(2*n+k)\ntensor w(k)\ntensor y(n)\ny(i) = sum[q](w(q) * x(2*i+q))\n"),
      plain("reversed", "tensor A(m,n)\ntensor B(m,n)\nB(i,j) = A(m-1-i,n-1-j)\n"),
      plain("polynomials", "tensor a(n)\ntensor b(m)\ntensor c(n+m)\nc(k) = sum[i](a(i) * b(k-i)) : 0 <= k-i < m\n"),
      plain("guarded", "tensor A(n,n)\ntensor B(n,n)\n"
                       "B(i,j) = select(i < j, A(i,j), select(i == j, 1, 2 * A(j,i)))\n"),
      plain("guarded by values", "tensor A(m,n)\ntensor B(m,n)\ntensor C(m,n)\n"
                                 "C(i,j) = select(A(i,j) > B(i,j), A(i,j) * B(i,j), B(i,j))\n"),
      plain("divided", "tensor A(m,n)\ntensor d(m)\ntensor B(m,n)\nB(i,j) = A(i,j) / d(i)\n"),
      plain("roots", "tensor A(m,n)\ntensor B(m,n)\nB(i,j) = sqrt(A(i,j))\n"),
      plain("running sums", "tensor a(n)\ntensor s(n)\ns(0) = a(0)\ns(i) = s(i-1) + a(i) : 1 <= i\nassume 1 <= n\n"),
      plain("running sums of rows", "tensor A(m,n)\ntensor S(m,n)\n"
                                    "S(i,j) = select(j > 0, S(i,j-1), 0) + A(i,j)\n"),
      plain("table", "tensor A(m,n)\ntensor T(m+1,n+1)\n"
                     "T(i+1,j+1) = max(T(i,j) + A(i,j), T(i,j+1), T(i+1,j), 0)\n"),
      plain("intervals", "tensor w(n,n)\ntensor c(n,n)\n"
                         "c(i,j) = w(i,j) + max[k](c(i,k) + c(k+1,j)) : i < j, i <= k, k < j\n"
                         "c(i,i) = w(i,i)\n"),
      plain("shares of a row", "tensor S(m,n)\ntensor most(m)\ntensor z(m)\ntensor P(m,n)\n"
                               "most(i) = max[j](S(i,j))\n"
                               "z(i) = sum[j](select(abs(S(i,j)) > 0, exp(S(i,j) - most(i)), 0))\n"
                               "P(i,j) = select(abs(S(i,j)) > 0, exp(S(i,j) - most(i)) / z(i), 0)\n"),
      plain("triple product", "tensor A(n,n)\ntensor P(n,m)\ntensor R(m,m)\n"
                              "R(i,j) = sum[k,l](P(k,i) * A(k,l) * P(l,j))\n"),
      plain("sums of parts of rows", "tensor A(m,n)\ntensor y(m)\n"
                                     "y(i) = sum[j](select(j < i and j != 1, A(i,j), 0)) "
                                     "+ prod[k](select(k >= i, 1, select(k == 0, A(i,k), 1)))\n"),
      plain("constants",
            "let a = 1 / 4\nlet b = sqrt(2)\ntensor x(n)\ntensor y(n)\ny(i) = a * x(i) + b * x(i) * x(i)\n"),
      plain("divided where that can be", "tensor A(m,n)\ntensor d(m)\ntensor y(m)\n"
                                         "y(i) = select(abs(d(i)) > 0, sum[j](A(i,j) / d(i)), 0)\n"),
      plain("roots where there are any", "tensor A(m,n)\ntensor d(m)\ntensor y(m)\n"
                                         "y(i) = select(d(i) < 0, 1, max[j](A(i,j) * sqrt(d(i))))\n"),
      plain("counted where that can be", "tensor A(m,n): i32\ntensor d(m): i32\ntensor y(m): i64\n"
                                         "y(i) = select(d(i) > 1, sum[j](A(i,j) * 1000000 * d(i)), 0)\n"),
  };
}

// A factor comes and goes along the dimension that the recurrence follows: where it is missing, the element before must
// be as if it had been computed.
std::vector<Family> gated() {
  return {
      plain("gated chain", "tensor G(m,n)\ntensor A(m,n)\ntensor x(m,n)\n"
                           "x(i,j) = A(i,j) + G(i,j) * select(i > 0, x(i-1,j), 1)\n"),
      plain("product read a row later", "tensor G(m,n)\ntensor A(m,n)\ntensor B(m,n)\ntensor D(m,n)\n"
                                        "B(i,j) = G(i,j) * -A(i,j)\n"
                                        "D(i,j) = select(i > 0, B(i-1,j), 2) - select(j > 0, B(i,j-1), 1)\n"),
      plain("gated twice", "tensor a(n)\ntensor b(n)\ntensor x(n)\ntensor y(n)\n"
                           "x(i) = a(i) * (1 + select(i > 0, y(i-1), 0))\n"
                           "y(i) = b(i) * (1 - x(i)) + select(i > 1, x(i-2), 0)\n"),
      plain("steps behind a gate", "tensor g(n)\ntensor a(n)\ntensor u(n)\n"
                                   "u^0(i) = a(i)\n"
                                   "u^t(i) = g(i) * (u^(t-1)(i) + select(i > 0, u^t(i-1), 0)) : 1 <= t <= T\n"),
      plain("runs of what is there", "tensor G(m,n)\ntensor r(m,n): i32\ntensor longest(m): i32\n"
                                     "r(i,j) = select(abs(G(i,j)) > 0, 1 + select(j > 0, r(i,j-1), 0), 0)\n"
                                     "longest(i) = max[j](r(i,j))\n"),
      plain("table behind a gate", "tensor M(m,n)\ntensor A(m,n)\ntensor T(m+1,n+1)\n"
                                   "T(i+1,j+1) = M(i,j) * max(T(i,j+1), T(i+1,j), A(i,j))\n"),
      plain("backwards behind a gate", "tensor G(m,n)\ntensor x(m,n)\nassume 1 <= n\n"
                                       "x(i,n-1) = G(i,n-1)\n"
                                       "x(i,j) = G(i,j) * (3 - x(i,j+1)) : j < n-1\n"),
      plain("kept until replaced", "tensor G(m,n)\ntensor A(m,n)\ntensor x(m,n)\n"
                                   "x(i,j) = select(G(i,j) != 0, A(i,j), select(j > 0, x(i,j-1), -1))\n"),
      plain("sums behind a gate", "tensor G(m,n)\ntensor W(n,k)\ntensor x(m,n)\ntensor z(m)\n"
                                  "x(i,j) = G(i,j) * (1 + select(i > 0, sum[q](W(j,q) * W(j,q)) * x(i-1,j), 0))\n"
                                  "z(i) = sum[j](G(i,j) * x(i,j)) + select(i > 0, z(i-1), 0)\n"),
      plain("whole numbers behind a gate", "tensor G(m,n): i32\ntensor a(n): i32\ntensor x(m,n): i32\n"
                                           "x(i,j) = max(G(i,j) * a(j), select(j > 0, x(i,j-1) - 1, 0))\n"),
      plain("conditions that hold so far", "tensor A(m,n): bool\ntensor B(m,n): bool\ntensor p(m,n): bool\n"
                                           "p(i,j) = A(i,j) and not (j > 0 and select(j > 0, p(i,j-1), 1 > 0)) "
                                           "and (all[k](B(i,k)) or any[l](A(l,j)))\n"),
      plain("two solves behind a gate", "tensor L(n,n)\ntensor g(n)\ntensor x(n)\ntensor y(n)\n"
                                        "x(i) = g(i) - sum[j](L(i,j) * x(j)) : j < i\n"
                                        "y(i) = g(i) * x(i) - sum[j](L(i,j) * g(j) * y(j)) : j < i\n"),
  };
}

// Equations that differ in the names of tensors only, or almost: they run side by side, each operand in its own format.
std::vector<Family> alike() {
  return {
      {"two solves",
       "tensor L(n,n)\ntensor b(n)\ntensor d(n)\ntensor x(n)\ntensor y(n)\n"
       "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\n"
       "y(i) = (d(i) - sum[j](L(i,j) * y(j))) / L(i,i) : j < i\n",
       {{"L", Content::lower}}},
      {"two solves from either end",
       "tensor L(n,n)\ntensor b(n)\ntensor x(n)\ntensor y(n)\n"
       "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\n"
       "y(i) = (b(n-1-i) - sum[j](L(i,j) * y(j))) / L(i,i) : j < i\n",
       {{"L", Content::lower}}},
      {"three upper solves",
       "tensor U(n,n)\ntensor b(n)\ntensor d(n)\ntensor s\ntensor x(n)\ntensor y(n)\ntensor z(n)\n"
       "x(i) = (b(i) - sum[j](U(i,j) * x(j))) / U(i,i) : i < j\n"
       "y(i) = (d(i) - sum[j](U(i,j) * y(j))) / U(i,i) : i < j\n"
       "z(i) = (s - sum[j](U(i,j) * z(j))) / U(i,i) : i < j\n",
       {{"U", Content::upper}}},
      {"two unit solves of other signs",
       "tensor L(n,n)\ntensor b(n)\ntensor d(n)\ntensor x(n)\ntensor y(n)\n"
       "x(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i\n"
       "y(i) = d(i) + sum[j](L(i,j) * y(j)) : j < i\n",
       {{"L", Content::lower}}},
      plain("two products and what they are added to",
            "tensor A(m,n)\ntensor x(n)\ntensor y(n)\ntensor b(m)\ntensor c(m+1)\ntensor u(m)\ntensor v(m)\n"
            "u(i) = 2 * (b(i) - sum[j](A(i,j) * x(j)))\nv(i) = 2 * (c(i) - sum[j](A(i,j) * y(j)))\n"),
      plain("two products, small and large numbers",
            "tensor A(m,n): f32\ntensor x(n): f32\ntensor y(n)\ntensor b(m): f32\ntensor c(m)\ntensor u(m): f32\n"
            "tensor v(m)\nu(i) = b(i) - sum[j](A(i,j) * x(j))\nv(i) = c(i) - sum[j](A(i,j) * y(j))\n"),
  };
}

} // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> list = [] {
    if (const char* folder = std::getenv("CYCLOTRON_FAMILIES")) return families_in(folder);
    std::vector<Family> all = factorizations();
    for (const auto& part : {steps(), products(), others(), gated(), alike(), families_of_reductions()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return list;
}

} // namespace cyclotron::fuzz
