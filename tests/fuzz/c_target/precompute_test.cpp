// SPDX-License-Identifier: MIT
// Expressions computed ahead: each program means the same with the workspace and without.
#include "judge.hpp"

#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

struct PrecomputeCase {
  const char* name;
  const char* text;
  std::vector<const char*> schedules;
};

const std::vector<PrecomputeCase>& precompute_cases() {
  static const std::vector<PrecomputeCase> list = {
      {"a product of sparse matrices",
       "tensor A(m,n): csr\ntensor B(n,p): csr\ntensor X(m,p): csr\nX(i,j) = A(i,k) * B(k,j)\n",
       {"precompute A(i,k)*B(k,j) over j into w\n", "order i, k, j\nprecompute A(i,k)*B(k,j) over j into w\n",
        "order i, j, k\nprecompute A(i,k)*B(k,j) over k into w\n",
        "order i, k, j\nprecompute A(i,k)*B(k,j) over j into w\nparallel i\n",
        "order i, j, k\nprecompute A(i,k)*B(k,j) over j, k into w\n", "precompute A(i,k)*B(k,j) over i, j into w\n",
        "order i, k, j\nprecompute A(i,k) over k into w\n"}},
      {"a quotient by a sum",
       "tensor a(m,n)\ntensor s(m,n)\ns(i,j) = exp(a(i,j)) / sum[k](exp(a(i,k)))\n",
       {"order i, j, k\nprecompute exp(a(i,k)) over k into w\nprecompute exp(a(i,j)) over j into v\nparallel i\n",
        "precompute sum[k](exp(a(i,k))) over i into w\n", "precompute exp(a(i,k)) over i into w\n"}},
      {"a triangular solve",
       "tensor L(n,n): csr\ntensor b(n)\ntensor x(n)\nx(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i\n",
       {"order i, j\nprecompute L(i,j)*x(j) over j into w\n", "precompute L(i,j) over j into w\n"}},
      {"steps",
       "tensor W(n,n)\ntensor D(n,n)\nD^(-1)(i,j) = W(i,j)\n"
       "D^k(i,j) = min(D^(k-1)(i,j), D^(k-1)(i,k) + D^(k-1)(k,j)) : 0 <= k, k < n\n",
       {"order k, i, j\nprecompute D^(k-1)(i,k) + D^(k-1)(k,j) over j into w\n",
        "order k, i, j\nprecompute D^(k-1)(i,k) over i into w\n"}},
      {"a sum up to another variable than its own",
       "tensor A(n,m): csr\ntensor B(m,n)\nA(i,c) = B(c,i) * sum[l](B(c,l) * B(c,i)) : l + i < n\n",
       {"precompute sum[l](B(c,l) * B(c,i)) over c into w\n", "precompute B(c,l) * B(c,i) over l into w\n",
        "order c, i, l\nprecompute sum[l](B(c,l) * B(c,i)) over i into w\n"}},
      {"whole numbers, and a condition",
       "tensor a(n): i32\ntensor b(n,n): i32\n"
       "b(i,j) = select(a(i) > a(j), a(i) * 2, max(a(j), 1)) : j <= i\n",
       {"order i, j\nprecompute a(j) over j into w\n", "precompute max(a(j), 1) over j into w\n",
        "order i, j\nprecompute a(i) > a(j) over j into w\n"}},
  };
  return list;
}

TEST(CTarget, PrecomputesTheSame) {
  setenv("OMP_NUM_THREADS", "3", 1);
  for (const PrecomputeCase& c : precompute_cases())
    for (const char* commands : c.schedules) {
      Trial trial;
      trial.text = std::string(c.text) + "schedule s {\n" + commands + "}\n";
      trial.seed = 3;
      trial.rounds = 8;
      trial.flags = {"-O2"};
      const Verdict verdict = judge_isolated(trial, 60);
      EXPECT_EQ(verdict.kind, Verdict::Kind::agrees) << c.name << "\n" << commands << verdict.what;
    }
}

} // namespace
} // namespace cyclotron::fuzz
