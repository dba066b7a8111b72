// SPDX-License-Identifier: MIT
#include "embedded.hpp"

#include <limits>

namespace cyclotron::test {

void add_steps_and_tiles(Programs& programs) {
  const Index i("i"), j("j"), k("k"), t("t"), a("a"), b("b"), c("c");
  const Size m("m"), n("n"), T("T");
  constexpr double inf = std::numeric_limits<double>::infinity();

  programs["floyd_warshall"] = [=] {
    Tensor G("G", {n, n}, csr), D("D", {n, n});
    Program program;
    program += D[-1](i, i) = 0;
    program += D[-1](i, j) = select(G(i, j) > 0, G(i, j), inf), where(i != j);
    program += D[k](i, j) = min(D[k - 1](i, j), D[k - 1](i, k) + D[k - 1](k, j));
    return program;
  };
  programs["bellman_ford"] = [=] {
    Tensor G("G", {n, n}, csr), d("d", {n});
    Program program;
    program += d[0](i) = select(i == 0, 0, inf);
    program += d[t](i) = min(d[t - 1](i), min[j](select(G(j, i) != 0, d[t - 1](j) + G(j, i), inf))),
               where(1 <= t, t < n);
    return program;
  };
  programs["transitive_closure"] = [=] {
    Tensor G("G", {n, n}, boolean), R("R", {n, n}, boolean);
    Program program;
    program += R[-1](i, j) = G(i, j) || i == j;
    program += R[k](i, j) = R[k - 1](i, j) || (R[k - 1](i, k) && R[k - 1](k, j));
    return program;
  };
  programs["game_of_life"] = [=] {
    Tensor G("G", {m, n}, i32), L("L", {m, n}, i32), S("S", {m, n}, i32);
    Program program;
    program += L[0](i, j) = G(i, j);
    program += (S[t](i, j) = sum[{a, b}](L[t - 1](i + a, j + b)))
                   .where(1 <= t <= T, -1 <= a <= 1, -1 <= b <= 1, 0 <= i + a < m, 0 <= j + b < n);
    program += L[t](i, j) = select(S[t](i, j) == 3 || (S[t](i, j) == 4 && L[t - 1](i, j) == 1), 1, 0),
                       where(1 <= t <= T);
    return program;
  };
  programs["conjugate_gradient"] = [=] {
    Tensor A("A", {n, n}, csr), rhs("b", {n}), x("x", {n}), r("r", {n}), p("p", {n}), q("q", {n}), step("a"), rr("rr");
    const auto within = 1 <= t <= T;
    Program program;
    program += x[0](i) = 0;
    program += r[0](i) = rhs(i);
    program += p[0](i) = rhs(i);
    program += rr[0] = sum[i](rhs(i) * rhs(i));
    program += q[t](i) = sum[j](A(i, j) * p[t - 1](j)), where(within);
    program += step[t] = rr[t - 1] / sum[i](p[t - 1](i) * q[t](i)), where(within);
    program += x[t](i) = x[t - 1](i) + step[t] * p[t - 1](i), where(within);
    program += r[t](i) = r[t - 1](i) - step[t] * q[t](i), where(within);
    program += rr[t] = sum[i](r[t](i) * r[t](i)), where(within);
    program += p[t](i) = r[t](i) + rr[t] / rr[t - 1] * p[t - 1](i), where(within);
    return program;
  };
  programs["pagerank"] = [=] {
    Constant d("d", 0.85);
    Tensor G("G", {n, n}, csr), links("links", {n}), x("x", {n}), lost("lost");
    Program program;
    program += links(i) = sum[j](select(G(i, j) != 0, 1, 0));
    program += x[0](i) = 1 / n;
    program += lost[t] = sum[j](select(links(j) == 0, x[t - 1](j), 0)), where(1 <= t <= T);
    program += x[t](i) = (1 - d) / n + d * (lost[t] / n + sum[j](select(G(j, i) != 0, x[t - 1](j) / links(j), 0))),
               where(1 <= t <= T);
    return program;
  };
  programs["qr"] = [=] {
    Tensor A("A", {m, n}), Q("Q", {m, n}), R("R", {n, n}), V("V", {m, n});
    Program program;
    program.assume(n <= m);
    program += V[0](i, j) = A(i, j);
    program += V[k](i, j) = V[k - 1](i, j) - Q(i, k - 1) * R(k - 1, j), where(1 <= k, k <= j);
    program += R(j, j) = sqrt(sum[i](V[j](i, j) * V[j](i, j)));
    program += Q(i, j) = V[j](i, j) / R(j, j);
    program += R(k, j) = sum[i](Q(i, k) * V[k](i, j)), where(k < j);
    return program;
  };
  programs["flash_attention"] = [=] {
    const Size N("N"), M("M"), d("d");
    Constant B("B", 4), alpha("alpha", 1 / sqrt(d));
    Tensor Q("Q", {N, d}), K("K", {M, d}), V("V", {M, d}), S("S", {N, M}), largest("m", {N}), l("l", {N}),
        o("o", {N, d}), O("O", {N, d});
    const auto block = 0 <= t && B * t < M && B * t <= j && j < B * t + B;
    Program program;
    program.assume(1 <= M);
    program += S(i, j) = alpha * sum[c](Q(i, c) * K(j, c));
    program += largest[-1](i) = -inf;
    program += l[-1](i) = 0;
    program += o[-1](i, c) = 0;
    program += largest[t](i) = max(largest[t - 1](i), max[j](S(i, j))), where(block);
    program += l[t](i) = exp(largest[t - 1](i) - largest[t](i)) * l[t - 1](i) + sum[j](exp(S(i, j) - largest[t](i))),
               where(block);
    program += o[t](i, c) =
        exp(largest[t - 1](i) - largest[t](i)) * o[t - 1](i, c) + sum[j](exp(S(i, j) - largest[t](i)) * V(j, c)),
                       where(block);
    program += O(i, c) = o(i, c) / l(i);
    return program;
  };
  programs["tiled_cholesky"] = [=] {
    const Size tile("b");
    Tensor A("A", {T, T, tile, tile}), L("L", {T, T, tile, tile});
    Program program;
    program += L(i, j) = call("TRSM_RLT", L(j, j), A(i, j) - sum[k](call("GEMM_NT", L(i, k), L(j, k)))),
                    where(k < j, j < i);
    program += L(i, i) = call("POTRF", A(i, i) - sum[k](call("SYRK", L(i, k)))), where(k < i);
    return program;
  };
}

} // namespace cyclotron::test
