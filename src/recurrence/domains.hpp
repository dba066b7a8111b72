// SPDX-License-Identifier: MIT
// Where a program's equations live: the isl sets and maps behind every check and every lowering.
//
// For `L(i,j) = (A(i,j) - sum[k](L(i,k)*L(j,k))) / L(j,j) : k < j, j < i` this holds
//   the domain       { [i,j] : 0 <= j < i < n }
//   what it defines  { S0[i,j] -> L[i,j] }
//   the reduction    { [i,j,k] : 0 <= k < j }
//   and each read    { [i,j,k] -> L[i,k] }, ...
#pragma once

#include "recurrence/polyhedra.hpp"
#include "recurrence/types.hpp"

#include <map>
#include <memory>

namespace cyclotron::recurrence {

struct ReductionDomain {
  Expr expr;                          // the Reduce
  std::vector<std::string> variables; // outer ones first, its own last
  std::vector<Condition> conditions;  // on its own variables: ranges and constraints
  isl::set domain;                    // { [variables] }
};

struct ReadDomain {
  Expr expr;                          // the Access
  std::vector<std::string> variables; // indices of the equation and of the reductions around it
  isl::set domain;                    // { [variables] }: where the read happens
  isl::map elements;                  // { [variables] -> Tensor[step, indices] }
};

struct EquationDomain {
  const Equation* equation = nullptr;
  std::vector<std::string> indices;  // bound by the left-hand side, in order of appearance
  std::vector<Condition> conditions; // on the indices: inside the tensor, ranges and constraints
  isl::set domain;                   // { [indices] }
  isl::map defines;                  // { S[indices] -> Tensor[step, indices] }
  std::vector<ReductionDomain> reductions;
  std::vector<ReadDomain> reads;
};

// The domains of a program, which must outlive them.
struct Domains {
  Domains() = default;
  Domains(const Domains&) = default;
  Domains(Domains&&) = default;
  // By value and swap, so that what was there before goes in the right order: sets first, context last.
  Domains& operator=(Domains other) noexcept {
    std::swap(context, other.context);
    std::swap(program, other.program);
    std::swap(equations, other.equations);
    std::swap(steps, other.steps);
    return *this;
  }

  std::shared_ptr<IslContext> context; // first, so that it goes last
  const Program* program = nullptr;
  std::vector<EquationDomain> equations;
  std::map<std::string, isl::set> steps; // stepped tensors: { [step] } that some equation defines

  const ReductionDomain& reduction(const Expr& expr) const;
};

// Finds all domains; reports reduction variables and steps without a range, and constraints whose variables are
// never in scope together.
Domains find_domains(const Program& program, Diagnostics& diagnostics);

// { S_e[..] -> S_f[..] }: which instance must come before which. Elements that no equation defines need nothing.
isl::union_map dependences(const Domains& domains);
isl::union_set instances(const Domains& domains);

// For people: one block per equation with its domain, reductions and reads.
std::string print(const Domains& domains);

} // namespace cyclotron::recurrence
