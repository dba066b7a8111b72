// SPDX-License-Identifier: MIT
// Which applications of a rule need not be tried, because what they conclude follows from others. This is found by
// reasoning on the rules alone.
//
// Take `L(i,j) <= L(i,k), L(j,k) : k < j < i` and, for some k, a p with L(p,k) and k < p. Then for j > p
//   L(i,p) follows from L(i,k), L(p,k),
//   L(j,p) follows from L(j,k), L(p,k),
//   L(i,j) follows from L(i,p), L(j,p):
// the same rule with p for k. So of all j only those up to p need be tried with this k. In general: the atoms of a rule
// with p in place of k must each follow, by a rule, from atoms that the rule has anyway and from facts about p and k
// alone, which is what makes p a pivot of k. Since p is always beyond k, what is put off from k to p, and from there
// to the pivot of p, is done in the end.
#pragma once

#include "recurrence/structure_solve.hpp"

namespace cyclotron::recurrence::structure {

struct Pivots {
  std::vector<Atom> facts;                  // in variables 0 for k and 1 for p: what makes p a pivot of k
  std::vector<LinearCondition> conditions;  // in the same
  bool rising = true;                       // p > k; else p < k
  std::vector<std::unique_ptr<Skip>> skips; // per rule, or null; their tables are left to whoever runs the rules

  bool any() const { return !facts.empty(); }
};

Pivots find_pivots(const Group& group, const std::vector<const Rule*>& rules, IslContext& context);

} // namespace cyclotron::recurrence::structure
