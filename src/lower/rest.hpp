// SPDX-License-Identifier: MIT
// A dependence, loop by loop.
#pragma once

#include "recurrence/polyhedra.hpp"

#include <map>
#include <memory>

namespace cyclotron::lower {

// What is left of a dependence once the variables of the loops so far are equal on both sides.
struct Rest {
  isl::map relation;
  struct Step {
    bool forward = false, backward = false; // some instance moves on, or back, along these variables
    std::unique_ptr<Rest> equal;            // null where none stays in the same iteration
  };
  std::map<std::pair<std::size_t, std::size_t>, Step> steps; // by variables of both sides

  const Step& along(std::size_t from, std::size_t to, recurrence::IslContext& context) {
    const auto [at, is_new] = steps.try_emplace({from, to});
    if (!is_new) return at->second;
    const int u = static_cast<int>(from), v = static_cast<int>(to);
    // Where isl gives up, nothing is assumed to be in order.
    Step& step = at->second;
    step.forward = step.backward = true;
    context.bounded([&] {
      const isl::map less = isl::manage(isl_map_order_lt(relation.copy(), isl_dim_in, u, isl_dim_out, v));
      const isl::map more = isl::manage(isl_map_order_gt(relation.copy(), isl_dim_in, u, isl_dim_out, v));
      const isl::map same = isl::manage(isl_map_equate(relation.copy(), isl_dim_in, u, isl_dim_out, v));
      const bool forward = !less.is_empty(), backward = !more.is_empty();
      if (!same.is_empty()) {
        step.equal = std::make_unique<Rest>();
        step.equal->relation = same;
      }
      step.forward = forward;
      step.backward = backward;
      return true;
    });
    return at->second;
  }
};

} // namespace cyclotron::lower
