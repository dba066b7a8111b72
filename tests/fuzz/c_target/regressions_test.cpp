// SPDX-License-Identifier: MIT
// Programs on which the C target was wrong once, as small as they became. Each is run at several sizes.
#include "fuzz/isolated.hpp"
#include "judge.hpp"

#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

struct OnceWrong {
  const char* was; // what went wrong
  const char* text;
  bool all_steps = false;
  bool last_only = false; // of the outputs only the last is wanted
};

const std::vector<OnceWrong>& cases_once_wrong() {
  static const std::vector<OnceWrong> list = {
      {"a slot of steps kept elements that a later step does not define",
       "tensor a(n)\ntensor u(n)\n"
       "u^0(i) = a(i)\n"
       "u^t(i) = u^(t-1)(i) + u^(t-1)(i-1) : 1 <= t <= T, t <= i\n"},
      {"steps that run at the same time shared a slot", "tensor a(n)\ntensor u(n)\n"
                                                        "u^t(i) = a(i) + t : 0 <= t <= T\n"
                                                        "schedule s {\n  order t, i\n  parallel t\n}\n"},
      {"of several positions that lead a loop, not all moved on before the rest was left out",
       "tensor C(m)\ntensor w\ntensor B(m,m): {compressed, singleton} order (1,0)\n"
       "B(i,j) = (w - sum[k](B(i,k) * B(j,k))) / (abs(B(j,j)) + 2) : k < j, j < i\n"
       "B(i,i) = sqrt(abs(C(i) - sum[k](B(i,k) * B(i,k)))) : k < i\n"
       "schedule s {\n  order k, i, j\n}\n"},
      {"all steps of a sparse tensor had the room of one",
       "tensor a(n)\ntensor u(n): coo\n"
       "u^0(i) = a(i)\n"
       "u^t(i) = 2 * u^(t-1)(i) : 1 <= t <= T\n",
       true},
      {"all steps of a tensor by columns came by rows",
       "tensor a(n,m)\ntensor u(n,m): {dense, dense} order (1,0)\n"
       "u^0(i,j) = a(i,j)\n"
       "u^t(i,j) = 2 * u^(t-1)(i,j) : 1 <= t <= T\n",
       true},
      {"a workspace that a sum reads was not emptied", "tensor A(m,n)\ntensor B(n,k)\ntensor y(m)\n"
                                                       "y(i) = sum[j](A(i,j) * sum[l](B(j,l) * B(j,l)))\n"
                                                       "schedule s {\n  order j, l, i\n}\n"},
      {"nor was one whose value a sparse factor made zero", "tensor A(m,n): csr\ntensor B(n,k)\ntensor y(m)\n"
                                                            "y(i) = sum[j](A(i,j) * sum[l](B(j,l) * B(j,l)))\n"
                                                            "schedule s {\n  order j, l, i\n}\n"},
      {"a sum gathered in its element stayed there where a sparse factor makes it zero",
       "tensor S(m,n): csr\ntensor A(m,k)\ntensor B(k,n)\ntensor C(m,n)\n"
       "C(i,j) = S(i,j) * sum[l](A(i,l) * B(l,j))\n"
       "schedule s {\n  order l, i, j\n}\n"},
      {"nor was one whose element is not stored",
       "tensor S(m,n): csr\ntensor A(m,k)\ntensor B(k,n): {bitvector, compressed}\ntensor C(m,n): csc\n"
       "C(i,j) = S(i,j) * sum[l](A(i,l) * B(l,j))\n"
       "schedule s {\n  order i, l, j\n}\n"},
      {"a loop in vectors was left by a jump", "tensor A(m,n)\ntensor B(m,n)\n"
                                               "B(i,j) = sqrt(A(i,j))\n"
                                               "schedule s {\n  vectorize i\n}\n"},
      {"a parallel loop had a second pragma", "tensor A(n)\ntensor B(n)\n"
                                              "B(i) = 2 * A(i)\n"
                                              "schedule s {\n  parallel i\n}\n"},
      {"a row that is spread out took the value that belongs to the result",
       "assume 1 <= n\ntensor a(n)\ntensor s(n): coo\n"
       "s(0) = a(0)\n"
       "s(i) = s(i-1) + a(i) : 1 <= i\n"
       "schedule s {\n  tile i by 1\n}\n"},
      {"nothing by nothing was an error in a sparse result",
       "tensor A(m,n): csr\ntensor d(m): coo\ntensor B(m,n): {compressed, dense}\n"
       "B(i,j) = A(i,j) / d(i)\n"},
      {"threads were started inside a vector", "tensor A(m,n)\ntensor B(m,n)\n"
                                               "B(i,j) = A(i,j) + 1\n"
                                               "schedule s {\n  order i, j\n  parallel j\n  vectorize i\n}\n"},
      {"a workspace that outlives an iteration had no place for the loops inside",
       "tensor L(n,n): csc\ntensor B(n,m)\ntensor X(n,m): {compressed, dense}\n"
       "X(i,c) = (B(i,c) - sum[j](L(i,j) * X(j,c))) / (1 + abs(L(i,i))) : j < i\n"
       "schedule s {\n  order j, c, i\n}\n"},
      {"between a pragma and its loop stood something else", "tensor d(n): coo\ntensor A(n,n)\n"
                                                             "A(i,i) = d(i)\n"
                                                             "schedule s {\n  parallel i\n}\n"},
      {"names of the kernel's own were those of sizes and tensors",
       "tensor H(p,m,p): {dense, dense, compressed} order (0,2,1)\ntensor large(p): i32\ntensor G(p,p,p)\n"
       "tensor overflow_0(p): i32\n"
       "G(i,j,c) = sum[k,l](H(c,k,l)) : 0 <= k, k < m, l <= c\n"
       "overflow_0(i) = 2 * large(i)\n"
       "schedule s {\n  order c, j, l, i, k\n}\n"},
      {"a loop over one value ran on several threads", "tensor A(n+1)\ntensor B(n+1)\n"
                                                       "A(i) = B(i) : i == 0\nA(i) = 2 * B(i) : i != 0\n"
                                                       "schedule s {\n  parallel i\n}\n"},
      {"threads were to share the runs of a coordinate", "tensor B(n,n)\ntensor C(n,n): coo\n"
                                                         "C(i,j) = sum[l](B(i,l) * B(l,j))\n"
                                                         "schedule s {\n  order i, l, j\n  parallel i\n}\n"},
      {"a column that is spread out was written by the name of another loop",
       "tensor A(n,n)\ntensor R(n,n)\ntensor V(n,n): csc\ntensor Q(n,n): csc\n"
       "V^0(i,j) = A(i,j)\n"
       "V^k(i,j) = V^(k-1)(i,j) - Q(i,k-1) * R(k-1,j) : 1 <= k, k <= j\n"
       "R(j,j) = sqrt(1 + sum[i](V^j(i,j) * V^j(i,j)))\n"
       "Q(i,j) = V^j(i,j) / R(j,j)\n"
       "R(k,j) = sum[i](Q(i,k) * V^k(i,j)) : k < j\n",
       false, true},
      {"the mask of a sparse result was made of all its steps",
       "tensor a(n,n): csr\ntensor u(n,n): csr\n"
       "u^0(i,j) = a(i,j)\n"
       "u^t(i,j) = 2 * u^(t-1)(i,j) : 1 <= t <= T\n"
       "schedule s {\n  mask u csc\n}\n",
       true},
      {"what an operand lacks was set to zero in the iterations of other loops, too",
       "tensor A(n,m): csr\ntensor c(m)\ntensor N(n,m): {compressed, compressed} order (1,0)\n"
       "N(i,j) = A(i,j) / (1 + abs(c(j)))\n"
       "schedule s {\n  order i, j\n}\n"},
      {"and in elements of another equation", "tensor A(n,m): dcsr\ntensor c(n)\ntensor d\ntensor X(n,m): dcsr\n"
                                              "X(i,0) = c(i) : m >= 1\n"
                                              "d = sum[i](select(m >= 1, X(i,0), 0))\n"
                                              "X(i,j) = A(i,j) * d : j >= 1\n"},
      {"a workspace was emptied only where the result, which a factor makes sparser, is stored",
       "tensor A(n,n): csc\ntensor B(n,n): csc\ntensor X(n,n): csc\n"
       "X(i,j) = A(i,j) * sum[k](B(i,k) * B(j,k))\n"
       "schedule s {\n  order j, k, i\n}\n"},
      {"an element of another equation was set to zero, where a guard leaves it out",
       "tensor A(3): coo\ntensor B(3,n)\ntensor C(3): coo\n"
       "A(i) = sum[k](B(i,k) * B(i,k)) : i == 0\n"
       "A(i) = C(i) : i != 0\n"},
      {"a sum that its branch does not take divided by zero",
       "tensor A(m,n)\ntensor s(m)\ntensor y(m)\n"
       "y(i) = select(abs(s(i)) > 0, sum[k](A(i,k) / s(i)), 0)\n"},
      {"so did one along columns of what is stored", "tensor A(m,n): csc\ntensor s(m)\ntensor y(m)\n"
                                                     "y(i) = select(abs(s(i)) > 0, sum[k](A(i,k) / s(i)), 0)\n"},
      {"so did the condition of a branch within it",
       "tensor A(m,n)\ntensor s(m)\ntensor y(m)\n"
       "y(i) = select(abs(s(i)) > 0, select(1 / s(i) > 0.5, sum[k](A(i,k) / s(i)), 3), 0)\n"},
      {"an extreme that its branch does not take had no root",
       "tensor A(m,n): csr\ntensor s(m)\ntensor y(m)\n"
       "y(i) = select(s(i) > 0, max[k](A(i,k) * sqrt(s(i))), min[k](A(i,k) - sqrt(0 - s(i))))\n"},
      {"the right side of `and` was computed where the left side is false",
       "tensor A(m,n)\ntensor s(m)\ntensor y(m): bool\n"
       "y(i) = abs(s(i)) > 0 and any[k](A(i,k) / s(i) > 1)\n"},
      {"so was that of `or` where it is true", "tensor A(m,n)\ntensor s(m)\ntensor y(m): bool\n"
                                               "y(i) = not (abs(s(i)) > 0) or all[k](A(i,k) / s(i) > 1)\n"},
      {"a recurrence that keeps zeros out of its sum divided by them",
       "tensor A(n,n)\ntensor d(n)\ntensor x(n)\n"
       "x(i) = select(abs(d(i)) > 0, sum[j](A(i,j) * x(j) / d(i)), d(i)) : j < i\n"},
      {"an operand was taken to have the elements of a result, which had as many but others",
       "tensor A(n,n): csr\ntensor d(n): coo\ntensor whole\ntensor y(n): coo\n"
       "A(i,j) = select(i == 1, 3, 0)\n"
       "d(i) = select(i == 0, 2, 0)\n"
       "whole = sum[i](d(i))\n"
       "y(i) = select(abs(d(i)) > 0, sum[j](whole * A(i,j) / d(i)), 0)\n"},
      {"blocks of a sum in a branch whose condition is a recurrence had no place",
       "tensor A(n): i32\ntensor C(n,n): i32\n"
       "A(i) = max(min(select(A(i-1) < 1, A(i-1), sum[k](C(i,k))), 99), -99) : i >= 1\n"
       "schedule s {\n  tile k by 1\n}\n"},
      {"a sum divided by zero in a branch that a sum rules out",
       "tensor A(m,n): csr\ntensor B(m,n)\ntensor y(m)\n"
       "y(i) = select(sum[k](abs(A(i,k))) > 0, sum[k](B(i,k) / sum[l](abs(A(i,l)))), 0)\n"},
      {"so did one behind `and`", "tensor A(m,n)\ntensor s(m)\ntensor y(m): bool\n"
                                  "y(i) = any[k](A(i,k) * s(i) > 0) and all[k](A(i,k) / s(i) < 1)\n"},
      {"an integer overflowed there", "tensor H(m,n): i32 csr\ntensor y(m)\n"
                                      "y(i) = select(all[k](abs(H(i,k)) < 9), 1, sum[k](2000000000 * H(i,k)))\n"},
      {"a sum in a condition was not known to the sum in its branch, in loops of its own",
       "tensor G(n,n): i64\ntensor L(n,n): bool\ntensor F(n): i64\n"
       "F(c) = select(any[r](L(c,r)), 7, max[k](G(k,c) + 1)) : 0 <= r, r < n\n"
       "schedule s { order k, c }\n"},
      {"a condition was forgotten when the first of its readers had it",
       "tensor F(n,m): bool csc\ntensor G(n,n,m): bool\ntensor H(m,n,n): bool\ntensor E(n,m): bool\n"
       "E(c,j) = F(c,j) and all[l](H(j,c,l)) and any[k](G(k,c,j) and c + k < n - 1)\n"
       "schedule s { order l, k, c, j }\n"},
      {"what a condition keeps from being read was loaded before the loop, from in front of a row that is spread out",
       "tensor A(n,n): {compressed, compressed} order (1,0)\ntensor B(n): coo\ntensor E(n,n,n)\n"
       "A(i,j) = max[k](E(i,j,k) - select(k >= 1, B(k-1), 2)) : i >= 1\n"
       "schedule s { order j, k, i }\n"},
      {"the element before kept its value where the next one is not there",
       "tensor A(p,n): {compressed, dense} order (1,0)\ntensor B(p,n)\ntensor C(p,n): coo\n"
       "A(i,j) = i + A(i-1,j) - B(i-1,j) / 2 : i >= 1\nB(i,j) = C(i,j) * -A(i,j)\n"},
      {"what was computed ahead forgot a constraint on a variable that it does not name",
       "tensor A(n,m)\ntensor B(m,n)\nA(i,c) = 1 + sum[l](B(c,l)) : l + i < n\n"
       "schedule s { precompute sum[l](B(c,l)) over c into ahead }\n"},
      {"what was a whole sum in one place was taken for one in another",
       "tensor A(m,k)\ntensor B(k,n)\ntensor C(m,n)\n"
       "C(i,j) = sum[l](B(l,j)) * sum[l](A(i,l) * B(l,j))\n"
       "schedule s { order l, i, j; precompute B(l,j) over j into ahead }\n"},
      {"a maximum for an element that the result lacks stayed in its workspace",
       "tensor A(m,n,n): {dense, bitvector, compressed}\ntensor B(m,n,n): csf\ntensor C(n,n): csr\n"
       "A(q,i,j) = max[k](B(q,i,k) * C(k,j))\nschedule s { order q, k, i, j }\n"},
      {"of two sums that are multiplied, one kept what the result lacks",
       "tensor A(m,k): csr\ntensor B(k,n): csr\ntensor C(m,n): csr\n"
       "C(i,j) = sum[l](B(l,j)) * sum[l](A(i,l) * B(l,j))\nschedule s { order i, l, j }\n"},
      {"a maximum of sums got what the result lacks, and kept it for the next row",
       "tensor A(m,n): f32 coo\ntensor G(q,n,m): f32\ntensor H(p,q,n): f32 csf\n"
       "tensor B(m,n): f32 {bitvector, compressed}\n"
       "B(i,j) = max[k](G(k,j,i) * sum[l](H(l,k,j) - A(i,j))) : i <= l < p\n"
       "schedule s { order i, l, k, j }\n"},
      {"a sum of maxima got the one of nothing where the result lacks the element",
       "tensor A(m,n): csr\ntensor G(q,n,m)\ntensor H(p,q,n)\ntensor B(m,n): csr\n"
       "B(i,j) = sum[k](G(k,j,i) * max[l](H(l,k,j) * A(i,j)))\n"
       "schedule s { order i, l, k, j }\n"},
      {"whether the result has an element was not seen where its row is spread out",
       "tensor A(m,k): bool coo\ntensor B(k,n): bool coo\ntensor C(m,n): bool csr\n"
       "C(i,j) = all[l](A(i,l) or not B(l,j)) and any[l](A(i,l) and B(l,j))\nschedule s { order i, l, j }\n"},
      {"the size of a sum in a sum was computed by a function that was not there",
       "tensor A\ntensor B(n)\ntensor C(n,n)\n"
       "A = sum[k](B(k) * sum[l](C(l,k) * B(k))) : k == 0\n"},
      {"a product with a zero among what is not stored overflowed", "tensor A(n): i32 coo\ntensor y: i32\n"
                                                                    "A(i) = select(i > 0, 100000, 0)\n"
                                                                    "y = prod[i](A(i))\n"},
      {"a product overflowed because its zero came last",
       "tensor B(n,n): i64\ntensor y(n): i64\n"
       "y(i) = i - prod[k,l](select(k == 0, select(l == 0, 7, 0), 4000000000) + 0 * B(k,l))\n"
       "schedule s { order l, k, i }\n"},
      {"a sum overflowed on the way in the interpreter, and in another order did not",
       "tensor A(n): i32\ntensor C(n,n): i64\ntensor D(n,n): i32 csr\ntensor Z(n,n): i64\ntensor y: i32\n"
       "Z(i,j) = sum[k](select(k == 1, -7, select(k == 4, 0, 4)) * 1000000000000000000 + C(i,j)) : 0 <= k, k < 6\n"
       "D(i,j) = A(i) + 10 * A(j) + sum[k](select(k < 2, 1500000000, select(k < 4, -1500000000, 1))) : 0 <= k, k < 5\n"
       "y = sum[k](select(k < 2, 1500000000, select(k < 4, -1500000000, A(k))))\n"
       "schedule s { order k, i, j }\n"},
      {"a root failed because a sum had come out wrong, and nobody asked the careful form",
       "tensor A(n): i64\ntensor y\n"
       "y = sqrt(sum[i](abs(A(i)) + 1000000000000000000))\n"},
      {"what a column does not store was added to, where its number led the loop",
       "tensor S(m,n): {compressed, compressed} order (1,0)\ntensor A(m,k): {compressed, compressed} order (1,0)\n"
       "tensor B(k,n)\ntensor C(m,n): {compressed, compressed} order (1,0)\n"
       "C(i,j) = S(i,j) * sum[l](A(i,l) * B(l,j))\n"
       "schedule s {\n  order l, i, j\n}\n"},
      {"the marching pointers of one nest went on where those of another had ended",
       "tensor A(n,n): csc\ntensor B(n,n)\ntensor C(n)\ntensor D(n,n): bool\n"
       "A(0,j) = C(j)\n"
       "A(i,j) = select(D(i,j), A(i-1,j), A(i-1,j)) : i >= 1\n"
       "B(i,j) = A(i,j)\n"
       "schedule s {\n  order i, j\n  marching A along i\n}\n"},
  };
  return list;
}

TEST(CTarget, RegressionsAgree) {
  for (const OnceWrong& c : cases_once_wrong())
    for (std::uint64_t seed : {1, 2}) {
      Trial trial;
      trial.text = c.text;
      trial.all_steps = c.all_steps;
      trial.last_only = c.last_only;
      trial.seed = seed;
      trial.rounds = 8;
      if (sanitized && seed == 2) trial.flags = sanitizers();
      else trial.flags = {"-O2"};
      const Verdict verdict = judge_isolated(trial);
      EXPECT_LE(verdict.kind, Verdict::Kind::unseen) << c.was << "\n" << verdict.what;
    }
}

} // namespace
} // namespace cyclotron::fuzz
