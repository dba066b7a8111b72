// SPDX-License-Identifier: MIT
// `precompute A(i,k)*B(k,j) over j into row`: the expression becomes a tensor of its own, and what was in its place
// reads that.
//
//   X(i,j) = sum[k](A(i,k) * B(k,j))   -->   row(i,j) = sum[k](A(i,k) * B(k,j))
//                                            X(i,j) = row(i,j)
//
// The new tensor has a dimension for each variable of the expression. Of those that are not named after `over`, the
// loops keep only the part of the tensor that is still needed: see carriers.hpp.
#pragma once

#include "frontend/check.hpp"
#include "schedule/ir.hpp"

#include <memory>

namespace cyclotron::lower {

struct Workspace {
  std::string name;
  std::vector<std::string> variables; // of its dimensions
  std::vector<std::string> over;      // those of which all values are computed before one is used
  Span span;                          // of the command

  std::vector<std::string> others() const;
};

struct Precomputed {
  std::shared_ptr<const frontend::Checked> checked;
  std::vector<Workspace> workspaces;
};

// Applies all commands of the schedule, which may be null. Without any, `checked` is null.
std::optional<Precomputed> precompute(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                      Diagnostics& diagnostics);

} // namespace cyclotron::lower
