// SPDX-License-Identifier: MIT
// Rows of terms, several in one pass over their sums: whole passes, the rest, none at all; and where that cannot be.
#include "judge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

struct RowCase {
  const char* text;
  bool several; // rows go in one pass
};

const std::vector<RowCase>& row_cases() {
  static const std::vector<RowCase> list = {
      {"tensor A(m,n)\ntensor x(m)\ntensor y(n)\ny(j) = A(i,j) * x(i)\nschedule s { order i, j }\n", true},
      {"tensor A(m,n): f32\ntensor x(m): f32\ntensor y(n): f32\ny(j) = A(i,j) * x(i)\nschedule s { order i, j }\n",
       true},
      {"tensor A(m,q)\ntensor B(q,n)\ntensor C(m,n)\nC(i,j) = A(i,k) * B(k,j)\nschedule s { order i, k, j }\n", true},
      {"tensor A(m,q)\ntensor B(q,n)\ntensor C(m,n)\nC(i,j) = A(i,k) * B(k,j)\n"
       "schedule s { order i, k, j; parallel i; unroll k by 3 }\n",
       true},
      {"tensor A(m,q)\ntensor B(q,n)\ntensor C(m,n)\nC(i,j) = A(i,k) * B(k,j)\n"
       "schedule s { tile j by 3 -> a, b; order i, a, k, b }\n",
       true},
      {"tensor A(m,q)\ntensor B(q,n)\ntensor C(m,n)\nC(i,j) = A(i,k) * B(k,j)\n"
       "schedule s { tile k by 3 -> a, b; order i, a, b, j }\n",
       true},
      // Extremes: a dense model of Markov's, and paths of one step more each.
      {"tensor A(n,n)\ntensor B(m,n)\ntensor p(n)\ntensor V(m,n)\nassume 1 <= m\nV(0,i) = p(i) * B(0,i)\n"
       "V(t,i) = max[k](V(t-1,k) * A(k,i) * B(t,i)) : t >= 1\nschedule s { order t, k, i }\n",
       true},
      {"tensor A(n,n)\ntensor p(n)\ntensor V(m,n)\nassume 1 <= m\nV(0,i) = p(i)\n"
       "V(t,i) = min[k](V(t-1,k) + A(k,i)) : t >= 1\nschedule s { order t, k, i }\n",
       true},
      {"tensor A(n,n)\ntensor p(n)\ntensor V(m,n)\nassume 1 <= m\nV(0,i) = p(i)\n"
       "V(t,i) = prod[k](V(t-1,k) + A(k,i)) : t >= 1\nschedule s { order t, k, i }\n",
       true},
      // Two sums in one loop; terms that do not depend on the row; three factors; shifted ones.
      {"tensor A(m,n)\ntensor x(m)\ntensor y(n)\ntensor z(n)\ny(j) = A(i,j) * x(i)\nz(j) = sum[i](A(i,j))\n"
       "schedule s { order i, j }\n",
       true},
      {"tensor x(n)\ntensor y(n)\ny(j) = sum[i](x(j)) : 0 <= i, i < m\nassume m >= 0\nschedule s { order i, j }\n",
       true},
      {"tensor B(m,n,q)\ntensor C(n,p)\ntensor D(q,p)\ntensor X(m,p)\nX(i,k) = B(i,a,b) * C(a,k) * D(b,k)\n"
       "schedule s { order i, a, b, k }\n",
       true},
      {"tensor x(n)\ntensor w(m)\ntensor y(n)\ny(i) = sum[k](w(k) * x(i-k)) : k <= i\nschedule s { order k, i }\n",
       false},
      {"tensor x(r)\ntensor w(m)\ntensor y(n)\nassume r == n + m\ny(i) = w(k) * x(i+k)\nschedule s { order k, i }\n",
       true},
      // The sums have another type than the result, or start out as something.
      {"tensor A(m,n)\ntensor x(m)\ntensor y(n): f32\ny(j) = A(i,j) * x(i)\nschedule s { order i, j }\n", true},
      {"tensor A(m,n)\ntensor x(m)\ntensor b(n)\ntensor y(n)\ny(j) = 2 * b(j) - sum[i](A(i,j) * x(i))\n"
       "schedule s { order i, j }\n",
       true},
      // The row depends on the term; integers may overflow; divisions may fail; the user wants none.
      {"tensor A(n,n)\ntensor x(n)\ntensor y(n)\ny(j) = sum[i](A(i,j) * x(i)) : i < j\nschedule s { order i, j }\n",
       false},
      {"tensor A(m,n): i64\ntensor x(m): i64\ntensor y(n): i64\ny(j) = A(i,j) * x(i)\nschedule s { order i, j }\n",
       false},
      {"tensor A(m,n)\ntensor x(m)\ntensor y(n)\ny(j) = sum[i](A(i,j) / (x(i) * x(i) + 1))\nschedule s { order i, j "
       "}\n",
       false},
      {"tensor A(m,n)\ntensor x(m)\ntensor y(n)\ny(j) = A(i,j) * x(i)\nschedule s { order i, j; unroll i by 1 }\n",
       false},
      {"tensor A(m,n): csr\ntensor x(m)\ntensor y(n)\ny(j) = A(i,j) * x(i)\nschedule s { order i, j }\n", false},
  };
  return list;
}

// The first verdict that is no agreement.
Verdict verdict_on_rows(const RowCase& c) {
  const std::string text = c.text;
  Contest contest(text, undefined_behaviour());
  Verdict v = contest.start();
  if (v.kind == Verdict::Kind::agrees && (contest.source().find("_first + ") != std::string::npos) != c.several)
    v = {Verdict::Kind::differs, c.several ? "has no rows in one pass" : "has rows in one pass"};
  std::uint64_t seed = 1;
  for (const std::int64_t rows : {0, 1, 2, 3, 4, 5, 8, 11})
    for (const std::int64_t columns : {0, 1, 7}) {
      if (v.kind != Verdict::Kind::agrees) return v;
      SizeValues sizes;
      for (const recurrence::Binder& s : contest.program().sizes) sizes[s.name] = s.name == "n" ? columns : rows;
      if (text.find("A(n,n)") != std::string::npos) sizes["n"] = rows;
      if (text.find("1 <= m") != std::string::npos) sizes["m"] = 3;
      if (sizes.count("r")) sizes["r"] = sizes["n"] + sizes["m"];
      v = contest.run(sizes, some_inputs(contest.program(), sizes, {}, ++seed));
      if (v.kind != Verdict::Kind::agrees) v.what += fmt::format("\nrows = {}, columns = {}", rows, columns);
    }
  return v;
}

// Each in a process of its own: one that has run threads cannot be divided for the tests after this one.
TEST(CRows, AsTheInterpreterHasThem) {
  for (const RowCase& c : row_cases()) {
    const Verdict v = isolated([&] { return verdict_on_rows(c); }, 20);
    EXPECT_EQ(v.kind, Verdict::Kind::agrees) << c.text << v.what;
  }
}

} // namespace
} // namespace cyclotron::fuzz
