// SPDX-License-Identifier: MIT
// Which equation of a program a statement of a nest was made from: the text form does not say.
#pragma once

#include "loops/ir.hpp"

#include <map>
#include <utility>

namespace cyclotron::loops {

struct Origin {
  int equation = 0;
  Expr reduction;                             // the one that the statement accumulates; empty for an assignment
  std::vector<std::string> variables;         // of the equation, and of the reductions around `reduction`
  std::map<std::string, std::string> names{}; // from the variables of the equation to those of the loops
  std::vector<std::pair<Expr, Expr>> parts{}; // each expression of the statement, and what it was made from
};

// Those that fit up to the names of the variables, in the order of the program. Where equations differ only in their
// constraints, what is around the statement decides.
std::vector<Origin> origins_of(const Statement& statement, const std::vector<const Loop*>& around,
                               const recurrence::Program& program);

} // namespace cyclotron::loops
