// SPDX-License-Identifier: MIT
#include "lower/place_memory.hpp"

namespace cyclotron::lower {

const Rest::Step& Rest::along(std::size_t from, std::size_t to, recurrence::IslContext& context) {
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

PlaceMemory::PlaceMemory(const Parts& parts, const recurrence::Program& program, recurrence::IslContext& isl_context)
    : context(isl_context), bounds(isl_context, program) {
  for (const Dependence& d : parts.dependences) {
    dependences.push_back(std::make_unique<Rest>());
    dependences.back()->relation = d.relation;
  }
}

} // namespace cyclotron::lower
