// SPDX-License-Identifier: MIT
#include "embedded.hpp"

#include <limits>

namespace cyclotron::test {

void add_sequences(Programs& programs) {
  const Index i("i"), j("j"), k("k"), t("t"), s("s"), a("a"), b("b"), c("c"), v("v");
  const Size m("m"), n("n"), T("T");
  constexpr double inf = std::numeric_limits<double>::infinity();

  programs["needleman_wunsch"] = [=] {
    Constant match("match", 1), mismatch("mismatch", -1), gap("gap", -1);
    Tensor A("a", {m}, i32), B("b", {n}, i32), H("H", {m + 1, n + 1}, i32), score("score", {}, i32);
    Program program;
    program += H(i, 0) = gap * i;
    program += H(0, j) = gap * j, where(j >= 1);
    program += H(i, j) =
        max(H(i - 1, j - 1) + select(A(i - 1) == B(j - 1), match, mismatch), H(i - 1, j) + gap, H(i, j - 1) + gap),
                    where(i >= 1, j >= 1);
    program += score = H(m, n);
    return program;
  };
  programs["smith_waterman"] = [=] {
    Constant match("match", 3), mismatch("mismatch", -3), gap("gap", -2);
    Tensor A("a", {m}, i32), B("b", {n}, i32), H("H", {m + 1, n + 1}, i32), score("score", {}, i32);
    Program program;
    program += H(i, 0) = 0;
    program += H(0, j) = 0, where(j >= 1);
    program += H(i, j) =
        max(0, H(i - 1, j - 1) + select(A(i - 1) == B(j - 1), match, mismatch), H(i - 1, j) + gap, H(i, j - 1) + gap),
                    where(i >= 1, j >= 1);
    program += score = max[{i, j}](H(i, j));
    return program;
  };
  programs["gotoh"] = [=] {
    Constant match("match", 2), mismatch("mismatch", -3), open("open", -5), extend("extend", -2);
    Tensor A("a", {m}, i32), B("b", {n}, i32), H("H", {m + 1, n + 1}, i32), E("E", {m + 1, n + 1}, i32),
        F("F", {m + 1, n + 1}, i32), score("score", {}, i32);
    Program program;
    program += E(i, 1) = H(i, 0) + open + extend, where(i >= 1);
    program += E(i, j) = max(E(i, j - 1), H(i, j - 1) + open) + extend, where(i >= 1, j >= 2);
    program += F(1, j) = H(0, j) + open + extend, where(j >= 1);
    program += F(i, j) = max(F(i - 1, j), H(i - 1, j) + open) + extend, where(i >= 2, j >= 1);
    program += H(0, 0) = 0;
    program += H(i, 0) = open + extend * i, where(i >= 1);
    program += H(0, j) = open + extend * j, where(j >= 1);
    program += H(i, j) = max(H(i - 1, j - 1) + select(A(i - 1) == B(j - 1), match, mismatch), E(i, j), F(i, j)),
                    where(i >= 1, j >= 1);
    program += score = H(m, n);
    return program;
  };
  programs["edit_distance"] = [=] {
    Tensor A("a", {m}, i32), B("b", {n}, i32), E("E", {m + 1, n + 1}, i32), distance("distance", {}, i32);
    Program program;
    program += E(i, 0) = i;
    program += E(0, j) = j, where(j >= 1);
    program += E(i, j) = min(E(i - 1, j) + 1, E(i, j - 1) + 1, E(i - 1, j - 1) + select(A(i - 1) == B(j - 1), 0, 1)),
                    where(i >= 1, j >= 1);
    program += distance = E(m, n);
    return program;
  };
  programs["dynamic_time_warping"] = [=] {
    Tensor x("x", {m}), y("y", {n}), D("D", {m + 1, n + 1}), distance("distance");
    Program program;
    program += D(0, 0) = 0;
    program += D(i, 0) = inf, where(i >= 1);
    program += D(0, j) = inf, where(j >= 1);
    program += D(i, j) = abs(x(i - 1) - y(j - 1)) + min(D(i - 1, j), D(i, j - 1), D(i - 1, j - 1)),
                    where(i >= 1, j >= 1);
    program += distance = D(m, n);
    return program;
  };
  programs["nussinov"] = [=] {
    Constant hairpin("hairpin", 3);
    Tensor S("s", {n}, i32), N("N", {n, n}, i32), pairs("pairs", {}, i32);
    Program program;
    program.assume(1 <= n);
    program += N(i, j) = max(N(i + 1, j), N(i, j - 1),
                             N(i + 1, j - 1) + select(j - i > hairpin && (S(i) + S(j) == 3 || S(i) + S(j) == 5), 1, 0),
                             max[k](N(i, k) + N(k + 1, j))),
                    where(i < k, k < j, i < j);
    program += pairs = N(0, n - 1);
    return program;
  };
  programs["cyk"] = [=] {
    const Size symbols("symbols"), vocabulary("vocabulary");
    Tensor words("words", {n}, i32), binary("binary", {symbols, symbols, symbols}, boolean),
        terminal("terminal", {symbols, vocabulary}, boolean), P("P", {n, n, symbols}, boolean),
        accepted("accepted", {}, boolean);
    Program program;
    program.assume(1 <= n, 1 <= symbols);
    program += P(i, i, a) = any[v](words(i) == v && terminal(a, v));
    program += P(i, j, a) = any[k][b][c](binary(a, b, c) && P(i, k, b) && P(k + 1, j, c)), where(i <= k, k < j, i < j);
    program += accepted = P(0, n - 1, 0);
    return program;
  };
  programs["hmm_forward"] = [=] {
    const Size symbols("symbols");
    Tensor A("A", {n, n}), E("E", {n, symbols}), p("p", {n}), seen("seen", {T}, i32), B("B", {n, T}), F("F", {n, T}),
        likelihood("likelihood");
    Program program;
    program.assume(1 <= T);
    program += B(i, t) = sum[s](select(s == seen(t), E(i, s), 0));
    program += F(i, 0) = p(i) * B(i, 0);
    program += F(i, t) = sum[k](F(k, t - 1) * A(k, i)) * B(i, t), where(t >= 1);
    program += likelihood = sum[i](F(i, T - 1));
    return program;
  };
  programs["iir_filter"] = [=] {
    const Size p("p"), q("q");
    Tensor x("x", {n}), B("b", {p}), A("a", {q}), y("y", {n});
    Program program;
    program += y(i) = sum[j](B(j) * x(i - j)) - sum[k](A(k) * y(i - k)), where(j <= i, 1 <= k, k <= i);
    return program;
  };
  programs["kalman"] = [=] {
    Constant drift("drift", 0.99), noise("noise", 0.01), error("error", 0.1);
    Tensor z("z", {n}), predicted("predicted", {n}), spread("spread", {n}), gain("gain", {n}), x("x", {n + 1}),
        P("P", {n + 1});
    Program program;
    program += x(0) = 0;
    program += P(0) = 1;
    program += predicted(t) = drift * x(t);
    program += spread(t) = drift * drift * P(t) + noise;
    program += gain(t) = spread(t) / (spread(t) + error);
    program += x(t) = predicted(t - 1) + gain(t - 1) * (z(t - 1) - predicted(t - 1)), where(t >= 1);
    program += P(t) = (1 - gain(t - 1)) * spread(t - 1), where(t >= 1);
    return program;
  };
  programs["rnn"] = [=] {
    const Index o("o");
    const Size inputs("inputs"), hidden("hidden"), outputs("outputs");
    Tensor x("x", {T, inputs}), W("W", {hidden, inputs}), U("U", {hidden, hidden}), bias("bias", {hidden}),
        O("O", {outputs, hidden}), Z("Z", {T, hidden}), H("H", {T + 1, hidden}), y("y", {T, outputs});
    Program program;
    program += H(0, i) = 0;
    program += Z(t, i) = W(i, j) * x(t, j) + U(i, k) * H(t, k) + bias(i);
    program += H(t, i) = 2 / (1 + exp(-2 * Z(t - 1, i))) - 1, where(t >= 1);
    program += y(t, o) = O(o, i) * H(t + 1, i);
    return program;
  };
  programs["catalan"] = [=] {
    Tensor C("C", {n}, i64);
    Program program;
    program += C(0) = 1;
    program += C(i) = sum[k](C(k) * C(i - 1 - k)), where(k < i, i >= 1);
    return program;
  };
}

} // namespace cyclotron::test
