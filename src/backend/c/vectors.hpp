// SPDX-License-Identifier: MIT
// Equations that do the same to different tensors, side by side in one vector.
//
//   for i                                            for i
//     forall j < i                                     forall j < i
//       tx(i) += L(i,j) * x(j)                  -->      txy(i) += L(i,j) * xy(j)      a vector each
//       ty(i) += L(i,j) * y(j)
//
// Where a loop walks what is stored of L, the processor cannot foresee where x(j) and y(j) are in memory, and must look
// in two places. In one array of pairs they are in one place, and one operation of the processor works on both.
#pragma once

#include "backend/c/plan.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cyclotron::backend::c {

// Dense tensors of one shape and type, a member of the vector each.
struct VectorTensors {
  std::vector<std::string> members;
  bool together = false; // in one array, where loops look for them here and there
};

struct VectorPlan {
  std::vector<VectorTensors> tensors;
  std::vector<std::vector<std::pair<std::string, int>>> temporaries; // sums in variables
  std::set<const loops::Loop*> loops;                                // all of whose statements run in vectors

  const VectorTensors* of(const std::string& tensor) const;
};

// Loops that walk a sparse tensor and do nothing but add up, in two to eight statements that differ in the names of
// dense tensors only. Results alone are put together: all of a result is written once, so another array for it costs
// little; an input would have to be copied, also where the loops need little of it. Not where anything runs in parallel
// or in vectors already.
VectorPlan find_vectors(const Plan& plan, const loops::Nest& nest, const recurrence::Program& program,
                        const std::set<std::string>& excluded);

// Of what vectors can do, too, and what cannot fail: sums, differences and products.
bool is_sum_of_products(const recurrence::Expr& expr);

} // namespace cyclotron::backend::c
