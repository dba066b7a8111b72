// SPDX-License-Identifier: MIT
// Loops in passes, at sizes around whole blocks; and where an element must wait for the ones before it after all.
#include "judge.hpp"

#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

struct PassCase {
  const char* text;
  bool in_passes;
};

const std::vector<PassCase>& pass_cases() {
  static const std::vector<PassCase> list = {
      {"tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1,n+1): i32\n"
       "H(i,0) = -i\nH(0,j) = -j : j >= 1\n"
       "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 1, -1), H(i-1,j) - 1, H(i,j-1) - 1) : i >= 1, j >= 1\n"
       "schedule s { order i, j }\n",
       true},
      {"tensor a(m): i64\ntensor b(n): i64\ntensor H(m+1,n+1): i64\n"
       "H(i,0) = i\nH(0,j) = j : j >= 1\n"
       "H(i,j) = min(H(i,j-1) + 1, H(i-1,j) + 1, H(i-1,j-1) + select(a(i-1) < b(j-1), 2, 0)) : i >= 1, j >= 1\n"
       "schedule s { order i, j }\n",
       true},
      // By columns, for the rows of a batch, in a triangle, over steps in one row's memory.
      {"tensor a(m): i32\ntensor b(n): i32\ntensor H(n+1,m+1): i32\n"
       "H(j,0) = 0\nH(0,i) = 0 : i >= 1\n"
       "H(j,i) = max(0, H(j-1,i-1) + select(a(i-1) < b(j-1), 2, -1), H(j,i-1) - 1, H(j-1,i) - 1) : i >= 1, j >= 1\n"
       "schedule s { order i, j }\n",
       true},
      {"tensor a(m,n): i32\ntensor b(m,n): i32\ntensor x(m,n): i32\nassume 1 <= n\nx(i,0) = 3\n"
       "x(i,j) = max(x(i,j-1) - 2, select(a(i,j) < b(i,j), a(i,j) + 1, b(i,j) - 2)) : j >= 1\n"
       "schedule s { order i, j; parallel i }\n",
       true},
      {"tensor a(n): i32\ntensor x(n,n): i32\nassume 1 <= n\nx(i,0) = i\n"
       "x(i,j) = min(x(i,j-1) + 1, x(i-1,j-1) + select(a(i) < a(j), 1, -1), 7) : 1 <= j <= i\n"
       "schedule s { order i, j }\n",
       true},
      {"tensor a(n): i32\ntensor x(n): i32\nassume 2 <= n\n"
       "x^0(j) = a(j)\nx^t(0) = t : 1 <= t <= m\n"
       "x^t(j) = max(x^t(j-1) - 1, x^(t-1)(j) + select(a(j) < 0, 1, -1), x^(t-1)(j-1) - 2) : 1 <= t <= m, 1 <= j\n"
       "schedule s { order t, j }\n",
       true},
      // The element before the one before is not there before the loop: it waits, and the rest need not.
      {"tensor a(m,n): i32\ntensor x(m,n): i32\nassume 2 <= n\nx(i,j) = a(i,j) : j < 2\n"
       "x(i,j) = max(x(i,j-1) - 1, x(i,j-2) + select(a(i,j) < 0, 1, -1) - 3) : j >= 2\nschedule s { order i, j }\n",
       false},
      {"tensor a(m,n): i32\ntensor x(m,n): i32\nassume 2 <= n\nx(i,j) = a(i,j) : j < 2\n"
       "x(i,j) = max(x(i,j-1) - 1, x(i,j-2) - 2, select(a(i,j) < 0, 1, a(i,j) - 1)) : j >= 2\n"
       "schedule s { order i, j }\n",
       true},
      // Too little to take apart; other numbers; products that may overflow; a sparse operand; the user wants none.
      {"tensor a(m,n): i32\ntensor x(m,n): i32\nassume 1 <= n\nx(i,0) = 3\n"
       "x(i,j) = max(x(i,j-1) - 1, a(i,j)) : j >= 1\nschedule s { order i, j }\n",
       false},
      {"tensor a(m,n)\ntensor x(m,n)\nassume 1 <= n\nx(i,0) = 3\n"
       "x(i,j) = max(x(i,j-1) - 1, select(a(i,j) < 0, 1, a(i,j) - 1)) : j >= 1\nschedule s { order i, j }\n",
       false},
      {"tensor a(m,n): i32\ntensor x(m,n): i32\nassume 1 <= n\nx(i,0) = 3\n"
       "x(i,j) = max(x(i,j-1) - 1, min(5, 2 * a(i,j) * a(i,j) - 3)) : j >= 1\nschedule s { order i, j }\n",
       false},
      {"tensor a(m,n): i32 csr\ntensor x(m,n): i32\nassume 1 <= n\nx(i,0) = 3\n"
       "x(i,j) = max(x(i,j-1) - 1, select(a(i,j) < 0, 1, a(i,j) - 1)) : j >= 1\nschedule s { order i, j }\n",
       false},
      {"tensor a(m,n): i32\ntensor x(m,n): i32\nassume 1 <= n\nx(i,0) = 3\n"
       "x(i,j) = max(x(i,j-1) - 1, select(a(i,j) < 0, 1, a(i,j) - 1)) : j >= 1\n"
       "schedule s { order i, j; unroll j by 2 }\n",
       false},
  };
  return list;
}

// The first verdict that is no agreement.
Verdict verdict_on(const PassCase& c) {
  const std::string text = c.text;
  Contest contest(text, undefined_behaviour());
  Verdict v = contest.start();
  if (v.kind == Verdict::Kind::agrees && (contest.source().find("_rest[") != std::string::npos) != c.in_passes)
    v = {Verdict::Kind::differs, c.in_passes ? "is not in passes" : "is in passes"};
  std::uint64_t seed = 1;
  const bool square = text.find("(n,n)") != std::string::npos;
  for (const std::int64_t n : {0, 1, 2, 37, 255, 256, 257, 600}) {
    if (v.kind != Verdict::Kind::agrees) break;
    if ((square && n > 257) || (n < 2 && text.find("<= n") != std::string::npos)) continue;
    SizeValues sizes;
    for (const recurrence::Binder& s : contest.program().sizes) sizes[s.name] = s.name == "n" ? n : n % 4 + 1;
    v = contest.run(sizes, some_inputs(contest.program(), sizes, {}, ++seed));
  }
  return v;
}

// Each in a process of its own: one that has run threads cannot be divided for the tests after this one.
TEST(CPasses, AsTheInterpreterHasThem) {
  for (const PassCase& c : pass_cases()) {
    const Verdict v = isolated([&] { return verdict_on(c); }, 20);
    EXPECT_EQ(v.kind, Verdict::Kind::agrees) << c.text << v.what;
  }
}

} // namespace
} // namespace cyclotron::fuzz
