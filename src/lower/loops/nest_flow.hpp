// SPDX-License-Identifier: MIT
// Which statement of a finished nest reads what which other statement wrote. This is found from the nest itself (its
// ranges, guards and accesses), without what placement knew when it made the nest, so that it can check the placement.
#pragma once

#include "loops/ir.hpp"
#include "recurrence/domains.hpp"

namespace cyclotron::lower {

struct NestStatement {
  const loops::Statement* statement = nullptr;
  std::vector<const loops::Loop*> around; // outermost first
  isl::set domain;                        // { [variables of the loops] }
};

// A read of an output or a temporary, and a statement that writes some of the elements read.
struct Flow {
  std::size_t from = 0, to = 0; // statements, in the order of the text
  loops::Expr read;
  isl::map relation;      // { [from's loops] -> [to's loops] }
  std::size_t common = 0; // how many loops are around both

  // Those pairs that are in the same iteration of the outermost `depth` common loops.
  isl::map within(std::size_t depth) const;
  // Those of them that move on along the loop at that depth, as the loop runs; and those that move back.
  isl::map forward(std::size_t depth, bool rising) const;
  isl::map backward(std::size_t depth, bool rising) const { return forward(depth, !rising); }
};

struct NestFlow {
  std::vector<NestStatement> statements;
  std::vector<Flow> flows;
};

// The nest must outlive the result; may throw isl::exception where isl gives up.
NestFlow find_flow(const loops::Nest& nest, const recurrence::Domains& domains);

} // namespace cyclotron::lower
