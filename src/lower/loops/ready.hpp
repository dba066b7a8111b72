// SPDX-License-Identifier: MIT
// Readiness as the paper writes it: `ready L(:i,:)` says that all rows of L before row i have been computed.
#pragma once

#include "lower/loops/nest_flow.hpp"

#include <string>
#include <vector>

namespace cyclotron::lower {

// An element or a slice: `L`, with `:i` and `:`. The step comes first where there is one.
struct Slice {
  std::string tensor;
  bool stepped = false;
  std::vector<std::string> places;

  std::string text() const;              // `ready D^(:k)(:,j)`
  bool covers(const Slice& other) const; // everything in the other is in this one
};

// What this read takes for granted at the start of each iteration of the loop at `depth`, which carries the flow: the
// inductive assumption. `complete`: nothing more is added to a temporary in the iteration that reads it.
Slice assumed(const NestFlow& flow, const Flow& carried, std::size_t depth, bool complete,
              const recurrence::Program& program);

// What a statement has computed once the loops around it from `depth` on are done.
Slice finished(const NestStatement& statement, std::size_t depth);

} // namespace cyclotron::lower
