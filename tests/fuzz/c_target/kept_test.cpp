// SPDX-License-Identifier: MIT
// What generated code keeps: positions between iterations, values in variables, steps in one memory. Programs whose
// orders bring each of these about, and neighbours where it must not happen. Each is run at several sizes.
#include "fuzz/isolated.hpp"
#include "judge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

void expect_agreement(const std::string& text) {
  for (const std::uint64_t seed : {1, 2}) {
    Trial trial;
    trial.text = text;
    trial.seed = seed;
    trial.rounds = 8;
    trial.flags = {"-O2"};
    const Verdict verdict = judge_isolated(trial);
    EXPECT_LE(verdict.kind, Verdict::Kind::unseen) << text << verdict.what;
  }
}

// Cholesky's dependences, on numbers that are always legal.
std::string factor(const std::string& schedule) {
  return "tensor A(n,n): csc\ntensor L(n,n): csc\n"
         "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / (1 + abs(L(j,j))) : k < j, j < i\n"
         "L(i,i) = sqrt(abs(A(i,i) - sum[k](L(i,k) * L(i,k)))) : k < i\n"
         "schedule s {" +
         schedule + "}\n";
}

TEST(CTarget, PositionsThatAreKeptAgree) {
  for (const char* schedule :
       {"order i, k, j; mask L csr", "order i, k, j; mask L csr; mask A csr; unroll j by 4",
        "order i, k, j; mask L csr; marching A along i; unroll j by 2", "order i, k, j; marching L along i",
        "order i, k, j; mask L csr; marching L along i; marching A along i; unroll j by 3",
        "order j, k, i; mask L csr; unroll i by 4", "order j, k, i; mask L csr; marching L along j",
        "order k, j, i; unroll i by 4", "order i, j, k; mask A csc"})
    expect_agreement(factor(schedule));
  // Two lookups of one element in one iteration: a pointer must not move past it after the first.
  expect_agreement("tensor A(n,n): csc\ntensor B(n,n)\ntensor C(n,n)\n"
                   "B(i,j) = 2 * A(i,j) + 1\nC(i,j) = B(i,j) - A(i,j)\n"
                   "schedule s {order i, j; marching A along i}\n");
  expect_agreement("tensor A(n,n): csc\ntensor B(n,n,m)\n"
                   "B(i,j,k) = A(i,j) + k\n"
                   "schedule s {order i, k, j; marching A along i}\n");
}

TEST(CTarget, StepsInOneMemoryAgree) {
  const auto program = [](const std::string& value, const std::string& schedule) {
    return fmt::format("assume 2 <= m\nassume 2 <= n\ntensor G(m, n)\ntensor U(m, n)\n"
                       "U^0(i,j) = G(i,j)\n"
                       "U^t(i,j) = {} : 1 <= t <= T, 0 < i < m-1, 0 < j < n-1\n"
                       "U^t(0,j) = U^(t-1)(0,j) : 1 <= t <= T\n"
                       "U^t(m-1,j) = U^(t-1)(m-1,j) : 1 <= t <= T\n"
                       "U^t(i,0) = U^(t-1)(i,0) : 1 <= t <= T, 0 < i < m-1\n"
                       "U^t(i,n-1) = U^(t-1)(i,n-1) : 1 <= t <= T, 0 < i < m-1\n"
                       "schedule s {{{}}}\n",
                       value, schedule);
  };
  const char* seidel = "(U^t(i-1,j) + U^t(i,j-1) + U^(t-1)(i+1,j) + U^(t-1)(i,j+1)) / 4";
  for (const char* order : {"order t, i, j", "order t, j, i", "order t, i, j; unroll j by 2", "wavefront i, j"})
    expect_agreement(program(seidel, order));
  for (const char* value : {
           "(U^(t-1)(i-1,j) + U^(t-1)(i+1,j)) / 2",           // needs both steps
           "(U^(t-1)(i,j) + 1) / 2",                          // the element itself
           "(U^(t-1)(i+1,j) + U^(t-1)(i,j)) / 2",             // in order only where i rises one by one
           "(U^t(i-1,j) + U^(t-1)(i-1,j) + U^(t-1)(i,j)) / 3" // the old one behind the new one
       })
    for (const char* order : {"order t, i, j", "order t, j, i", "order t, i, j; parallel i"})
      expect_agreement(program(value, order));
  // A step that defines less than the one before.
  expect_agreement("tensor a(n)\ntensor u(n)\nu^0(i) = a(i)\nu^t(i) = u^(t-1)(i) / 2 : 1 <= t <= T, t <= i\n");
  // Three steps in the memory of two.
  expect_agreement("tensor a(n)\ntensor u(n)\nu^0(i) = a(i)\nu^1(i) = 2 * a(i)\n"
                   "u^t(i) = u^(t-1)(i) / 2 + u^(t-2)(i) / 4 : 2 <= t <= T\n");
}

} // namespace
} // namespace cyclotron::fuzz
