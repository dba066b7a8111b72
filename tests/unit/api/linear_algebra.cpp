// SPDX-License-Identifier: MIT
#include "embedded.hpp"

namespace cyclotron::test {

void add_linear_algebra(Programs& programs) {
  const Index i("i"), j("j"), k("k"), l("l"), c("c"), q("q"), r("r"), p("p");
  const Size m("m"), n("n");

  programs["cholesky"] = [=] {
    Tensor A("A", {n, n}, csr), L("L", {n, n}, csr);
    Program program;
    program += L(i, j) = (A(i, j) - sum[k](L(i, k) * L(j, k))) / L(j, j), where(k < j, j < i);
    program += (L(i, i) = sqrt(A(i, i) - sum[k](L(i, k) * L(i, k)))).where(k < i);
    return program;
  };
  programs["lu"] = [=] {
    Tensor A("A", {n, n}), L("L", {n, n}), U("U", {n, n});
    Program program;
    program += U(i, j) = A(i, j) - sum[k](L(i, k) * U(k, j)), where(k < i, i <= j);
    program += L(i, j) = (A(i, j) - sum[k](L(i, k) * U(k, j))) / U(j, j), where(k < j, j < i);
    program += L(i, i) = 1;
    return program;
  };
  programs["triangular_solve"] = [=] {
    Tensor L("L", {n, n}, csr), b("b", {n}), x("x", {n});
    Program program;
    program += x(i) = (b(i) - sum[j](L(i, j) * x(j))) / L(i, i), where(j < i);
    return program;
  };
  programs["triangular_solve_fused"] = [=] {
    Tensor L("L", {n, n}, csr), b("b", {n}), d("d", {n}), x("x", {n}), y("y", {n});
    Program program;
    program += x(i) = (b(i) - sum[j](L(i, j) * x(j))) / L(i, i), where(j < i);
    program += y(i) = (d(i) - sum[j](L(i, j) * y(j))) / L(i, i), where(j < i);
    return program;
  };
  programs["triangular_solve_many"] = [=] {
    Tensor L("L", {n, n}), B("B", {n, m}), X("X", {n, m});
    Program program;
    program += X(i, c) = (B(i, c) - sum[j](L(i, j) * X(j, c))) / L(i, i), where(j < i);
    return program;
  };
  programs["tridiagonal"] = [=] {
    Tensor a("a", {n}), b("b", {n}), c_("c", {n}), d("d", {n}), e("e", {n}), f("f", {n}), x("x", {n});
    Program program;
    program += e(0) = c_(0) / b(0);
    program += e(i) = c_(i) / (b(i) - a(i) * e(i - 1)), where(i >= 1);
    program += f(0) = d(0) / b(0);
    program += f(i) = (d(i) - a(i) * f(i - 1)) / (b(i) - a(i) * e(i - 1)), where(i >= 1);
    program += x(n - 1) = f(n - 1);
    program += x(i) = f(i) - e(i) * x(i + 1), where(i < n - 1);
    return program;
  };
  programs["matmul"] = [=] {
    const Size inner("p");
    Tensor A("A", {m, inner}), B("B", {inner, n}), C("C", {m, n});
    Program program;
    program += C(i, j) = A(i, k) * B(k, j);
    return program;
  };
  programs["spgemm"] = [=] {
    const Size inner("p");
    Tensor B("B", {m, inner}, csr), C("C", {inner, n}, csr), X("X", {m, n}, csr);
    Program program;
    program += X(i, j) = B(i, k) * C(k, j);
    return program;
  };
  programs["spmv"] = [=] {
    Tensor B("B", {m, n}, csr), c_("c", {n}), x("x", {m});
    Program program;
    program += x(i) = B(i, j) * c_(j);
    return program;
  };
  programs["residual"] = [=] {
    Tensor C("C", {m, n}, csr), b("b", {m}), d("d", {n}), x("x", {m});
    Program program;
    program += x(i) = b(i) - C(i, j) * d(j);
    return program;
  };
  programs["mattransmul"] = [=] {
    Tensor alpha("alpha"), beta("beta"), B("B", {m, n}, csc), c_("c", {m}), d("d", {n}), x("x", {n});
    Program program;
    program += x(i) = alpha * B(j, i) * c_(j) + beta * d(i);
    return program;
  };
  programs["mmadd"] = [=] {
    Tensor B("B", {m, n}, csr), C("C", {m, n}, dcsr), X("X", {m, n}, csr);
    Program program;
    program += X(i, j) = B(i, j) + C(i, j);
    return program;
  };
  programs["plus3"] = [=] {
    Tensor B("B", {m, n}, csr), C("C", {m, n}, csr), D("D", {m, n}, csr), X("X", {m, n}, csr);
    Program program;
    program += X(i, j) = B(i, j) + C(i, j) + D(i, j);
    return program;
  };
  programs["sddmm"] = [=] {
    const Size inner("p");
    Tensor B("B", {m, n}, csr), C("C", {m, inner}), D("D", {n, inner}), X("X", {m, n}, csr);
    Program program;
    program += X(i, j) = B(i, j) * C(i, k) * D(j, k);
    return program;
  };
  programs["innerprod"] = [=] {
    const Size depth("p");
    Tensor B("B", {m, n, depth}, csf), C("C", {m, n, depth}, csf), chi("chi");
    Program program;
    program += chi = B(i, j, k) * C(i, j, k);
    return program;
  };
  programs["mttkrp"] = [=] {
    const Size depth("p"), rank("r");
    Tensor B("B", {m, n, depth}, csf), C("C", {rank, n}), D("D", {rank, depth}), X("X", {m, rank});
    Program program;
    program += X(i, j) = B(i, k, l) * C(j, k) * D(j, l);
    return program;
  };
  programs["conv2d"] = [=] {
    const Size a("a"), b("b");
    Tensor x("x", {m, n}), w("w", {a, b}), z("z", {m - a + 1, n - b + 1});
    Program program;
    program.assume(1 <= a <= m, 1 <= b <= n);
    program += z(c, r) = x(c + q, r + p) * w(q, p);
    return program;
  };
  programs["conv2d_stride2"] = [=] {
    const Size a("a"), b("b");
    Tensor x("x", {2 * m + a - 2, 2 * n + b - 2}), w("w", {a, b}), z("z", {m, n});
    Program program;
    program.assume(1 <= m, 1 <= n, 1 <= a && 1 <= b);
    program += z(c, r) = x(2 * c + q, 2 * r + p) * w(q, p);
    return program;
  };
  programs["prefix_sum"] = [=] {
    Tensor a("a", {n}), S("S", {n});
    Program program;
    program += S(0) = a(0);
    program += S(i) = S(i - 1) + a(i), where(i >= 1);
    return program;
  };
}

} // namespace cyclotron::test
