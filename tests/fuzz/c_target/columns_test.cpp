// SPDX-License-Identifier: MIT
// Sums and extremes of long rows, several at a time; and sums of many columns: those in registers, the rest, none at
// all.
#include "contest.hpp"
#include "random_run.hpp"

#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

const std::vector<std::string> column_flags{"-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"};

struct ColumnCase {
  const char* text;
  bool in_blocks; // the sums of a block of columns are in registers
};

const std::vector<ColumnCase>& column_cases() {
  static const std::vector<ColumnCase> list = {
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor X(m,p)\nX(i,k) = B(i,j) * C(j,k)\nschedule s { order i, j, k }\n",
       true},
      {"tensor B(m,n): dcsr\ntensor C(n,p)\ntensor X(m,p)\nX(i,k) = B(i,j) * C(j,k)\nschedule s { order i, j, k }\n",
       true},
      {"tensor B(m,n): coo\ntensor C(n,p)\ntensor X(m,p)\nX(i,k) = B(i,j) * C(j,k)\nschedule s { order i, j, k }\n",
       true},
      {"tensor B(m,n): f32 csr\ntensor C(n,p): f32\ntensor X(m,p): f32\nX(i,k) = B(i,j) * C(j,k)\n"
       "schedule s { order i, j, k }\n",
       true},
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor X(m,p)\nX(i,k) = B(i,j) * C(j,k)\n"
       "schedule s {\n  order i, j, k\n  parallel i\n}\n",
       true},
      // The result has memory of its own for the sums, which other equations share.
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor D(m,p)\ntensor X(m,p)\n"
       "X(i,k) = D(i,k) - sum[j](B(i,j) * C(j,k))\nschedule s { order i, j, k }\n",
       true},
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor X(m,p)\nX(i,k) = sum[j](B(i,j) * C(j,k)) : i < m-1\n"
       "X(m-1,k) = 7\nassume m >= 1\nschedule s { order i, j, k }\n",
       true},
      {"tensor B(m,m): csr\ntensor C(m,p)\ntensor X(m,p)\nX(i,k) = sum[j](B(i,j) * C(j,k)) : j < i\n"
       "schedule s { order i, j, k }\n",
       true},
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor X(m,p)\nX(i,k) = sum[j](B(i,j) * C(j,k)) : 1 <= k, k < p-1\n"
       "schedule s { order i, j, k }\n",
       true},
      {"tensor L(m,m): csr\ntensor B(m,p)\ntensor X(m,p)\n"
       "X(i,c) = B(i,c) - sum[j](L(i,j) * X(j,c)) : j < i\nschedule s { order i, j, c }\n",
       true},
      {"tensor B(m,n,q): csf\ntensor C(n,p)\ntensor D(q,p)\ntensor X(m,p)\nX(i,k) = B(i,a,b) * C(a,k) * D(b,k)\n"
       "schedule s { order i, a, b, k }\n",
       true},
      {"tensor B(m,n,q): {dense, dense, compressed}\ntensor C(n,p)\ntensor D(q,p)\ntensor X(m,p)\n"
       "X(i,k) = B(i,a,b) * C(a,k) * D(b,k)\nschedule s { order i, a, b, k }\n",
       true},
      // The sums have another type than the result: a workspace.
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor X(m,p): f32\nX(i,k) = B(i,j) * C(j,k)\n"
       "schedule s { order i, j, k }\n",
       true},
      {"tensor S(m,p)\ntensor A(m,n): csr\ntensor B(n,p)\ntensor C(m,p)\n"
       "C(i,k) = S(i,k) * sum[j](A(i,j) * B(j,k)) + sum[j](A(i,j) * B(j,k) * B(j,k))\nschedule s { order i, j, k }\n",
       false}, // two sums in one loop
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor X(m,p): {dense, dense} order (1,0)\nX(i,k) = B(i,j) * C(j,k)\n"
       "schedule s { order i, j, k }\n",
       false},
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor X(m,p): csr\nX(i,k) = B(i,j) * C(j,k)\n"
       "schedule s { order i, j, k }\n",
       false},
      {"tensor B(m,m): csr\ntensor C(m,p)\ntensor X(m,p)\nX(i,k) = sum[j](B(i,j) * C(j,k)) : k < j\n"
       "schedule s { order i, j, k }\n",
       false},
      {"tensor B(m,n): csr\ntensor C(n,p): csr\ntensor X(m,p)\nX(i,k) = B(i,j) * C(j,k)\n"
       "schedule s { order i, j, k }\n",
       false},
      {"tensor B(m,n): csr\ntensor C(n,p)\ntensor X(m,p)\nX(i,k) = max[j](B(i,j) * C(j,k))\n"
       "schedule s { order i, j, k }\n",
       false},
  };
  return list;
}

TEST(CColumns, AsTheInterpreterHasThem) {
  for (const ColumnCase& c : column_cases()) {
    const std::string text = c.text;
    Contest contest(text, column_flags);
    ASSERT_EQ(contest.start().kind, Verdict::Kind::agrees) << text << contest.start().what;
    std::uint64_t seed = 1;
    for (const std::int64_t p : {0, 1, 31, 32, 33, 64, 70})
      for (const std::int64_t rows : {1, 5}) {
        SizeValues sizes;
        for (const recurrence::Binder& s : contest.program().sizes) sizes[s.name] = s.name == "p" ? p : rows;
        const Verdict v = contest.run(sizes, some_inputs(contest.program(), sizes, {}, ++seed));
        EXPECT_EQ(v.kind, Verdict::Kind::agrees) << text << "p = " << p << "\n" << v.what;
      }
    EXPECT_EQ(contest.source().find("// in registers") != std::string::npos, c.in_blocks) << text;
  }
}

TEST(CColumns, LongRowsAsTheInterpreterHasThem) {
  const std::vector<std::string> texts = {
      "tensor A(m,n): csr\ntensor x(n)\ntensor y(m)\ny(i) = A(i,j) * x(j)\n",
      "tensor A(m,n): dcsr\ntensor x(n)\ntensor y(m)\ny(i) = A(i,j) * x(j)\n",
      "tensor A(m,n): f32 csr\ntensor x(n): f32\ntensor y(m): f32\ny(i) = A(i,j) * x(j)\n",
      "tensor A(m,n): csr\ntensor y(m)\ny(i) = max[j](A(i,j))\n",
      "tensor A(m,n): csr\ntensor x(n)\ntensor y(m)\ny(i) = min[j](A(i,j) * x(j))\n",
      "tensor A(m,n): i32 csr\ntensor x(n): i32\ntensor y(m): i32\ny(i) = min[j](A(i,j) * x(j))\n",
      "tensor A(m,n): i64 csr\ntensor y(m): i64\ny(i) = max[j](A(i,j))\n",
      "tensor A(m,n): csr\ntensor B(m,n): csc\ntensor y(m)\ny(i) = max[j](A(i,j) * B(i,j))\n",
      "tensor A(m,n): csr\ntensor v(n): {compressed}\ntensor y(m)\ny(i) = max[j](A(i,j) * v(j))\n",
      "tensor A(m,n): csr\ntensor y(m)\ntensor z(m)\ny(i) = max[j](A(i,j))\nz(i) = sum[j](A(i,j)) - min[j](A(i,j))\n",
      "tensor A(n,m): csc\ntensor V(3,m)\ntensor x(n)\nassume n == m\nV(0,i) = x(i)\n"
      "V(t,i) = max[k](V(t-1,k) * A(k,i)) : t >= 1\nschedule s { order t, i, k }\n",
      "tensor A(m,n): csr\ntensor B(m,n): csr\ntensor C(m,n): csr\nC(i,j) = A(i,j) - 2 * B(i,j)\n",
      "tensor A(m,n): csr\ntensor B(m,n): csr\ntensor C(m,n): csr\nC(i,j) = A(i,j) - 2 * B(i,j) : 3 <= j, j < n-2\n",
      "tensor A(m,n): f32 csr\ntensor B(m,n): f32 csc\ntensor C(m,n): f32 csr\nC(i,j) = A(i,j) - 2 * B(i,j)\n",
      "tensor A(m,n): csr\ntensor B(m,n)\ntensor C(m,n)\nC(i,j) = A(i,j) - 2 * B(i,j)\n",
      // A result with the levels of an operand, or with less, or with more.
      "tensor B(m,n,q): csf\ntensor c(q)\ntensor X(m,n): dcsr\nX(i,j) = B(i,j,k) * c(k)\n",
      "tensor B(m,n,q): csf\ntensor c(q): {compressed}\ntensor X(m,n): dcsr\nX(i,j) = B(i,j,k) * c(k)\n",
      "tensor B(m,n,q): csf\ntensor c(q)\ntensor X(m,n): dcsr\nX(i,j) = sum[k](B(i,j,k) * c(k)) : k < j\n",
      "tensor B(m,n,q): csf\ntensor c(q)\ntensor X(m,n): dcsr\nX(i,j) = sum[k](B(i,j,k) * c(k)) : i < j\n",
      "tensor B(m,n,q): {dense, compressed, compressed}\ntensor c(q)\ntensor X(m,n): csr\nX(i,j) = B(i,j,k) * c(k)\n",
      "tensor A(m,n): csr\ntensor B(m,n): csr\ntensor X(m,n): csr\nX(i,j) = A(i,j) * B(i,j)\n",
      "tensor A(m,n): dcsr\ntensor B(m,n): csr\ntensor X(m,n): dcsr\nX(i,j) = A(i,j) * B(i,j)\n",
      "tensor A(m,n): csr\ntensor B(m,n): csr\ntensor c(n)\ntensor X(m,n): csr\n"
      "X(i,j) = A(i,j) * c(j) : j < i\nX(i,j) = 2 * B(i,j) : i <= j\n",
      "tensor A(m,n): csr\ntensor B(m,n): csr\ntensor X(m,n): csr\nX^0(i,j) = B(i,j)\n"
      "X^t(i,j) = A(i,j) * X^(t-1)(i,j) : 1 <= t <= 2\n",
      "tensor A(m,n): coo\ntensor B(m,n): dcsr\ntensor C(m,n): csr\nC(i,j) = A(i,j) * B(i,j) + B(i,j)\n",
  };
  for (const std::string& text : texts) {
    Contest contest(text, column_flags);
    ASSERT_EQ(contest.start().kind, Verdict::Kind::agrees) << text << contest.start().what;
    std::uint64_t seed = 1;
    for (const std::int64_t n : {0, 1, 7, 9, 31, 32, 33, 34, 35, 70})
      for (int round = 0; round < 4; ++round) {
        SizeValues sizes;
        const bool square = text.find("assume n == m") != std::string::npos;
        for (const recurrence::Binder& s : contest.program().sizes)
          sizes[s.name] = s.name == "n" || square ? n : s.name == "q" ? 5 : 3;
        const Verdict v = contest.run(sizes, some_inputs(contest.program(), sizes, {}, ++seed));
        EXPECT_LE(v.kind, Verdict::Kind::unseen) << text << "n = " << n << "\n" << v.what;
      }
  }
}

} // namespace
} // namespace cyclotron::fuzz
