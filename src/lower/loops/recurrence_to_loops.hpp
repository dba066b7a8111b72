// SPDX-License-Identifier: MIT
// From equations to a loop nest: parts, an order, placement, and what the schedule says about loops.
#pragma once

#include "frontend/check.hpp"
#include "loops/ir.hpp"
#include "lower/loops/parts.hpp"
#include "lower/loops/precompute.hpp"
#include "schedule/ir.hpp"

#include <set>
#include <string>
#include <vector>

namespace cyclotron::lower {

struct LoweredLoops {
  loops::Nest nest;
  std::vector<std::string> order; // of the loops, as given or as chosen
  bool order_given = false;
};

// Reports an order that is impossible, with the dependence that forbids it and the orders that would work. `schedule`
// may be null. Commands that are not about loops are left to others. `internal`: dense tensors of which nobody outside
// wants anything, so that little of them is kept; `workspaces` among them: those that `precompute` made of `checked`.
std::optional<LoweredLoops> recurrence_to_loops(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                                Diagnostics& diagnostics, const std::set<std::string>& internal = {},
                                                const std::vector<Workspace>& workspaces = {});

// The variables of a program in the order of their first appearance, steps first.
std::vector<std::string> all_variables(const recurrence::Domains& domains);

} // namespace cyclotron::lower
