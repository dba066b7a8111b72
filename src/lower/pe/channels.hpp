// SPDX-License-Identifier: MIT
// Values that travel between PEs: who sends what, who receives it when, and whether it is kept.
#pragma once

#include "lower/pe/reads.hpp"

namespace cyclotron::lower {

// All that PEs read of one value from PEs at one distance.
struct Link {
  int space = 0; // of the value
  std::string value;
  std::vector<std::int64_t> offset;
  std::vector<std::size_t> reads; // through it
  isl::set sent;                  // elements, each sent once, in the step that computes it
  // Some element is read more than once: it is received in the first step that needs it and kept for the others.
  bool kept = false;
  // Per read: the points of its reader that receive the element it reads.
  std::vector<isl::set> receives;
  // The order in which the elements that one step receives were sent, as places in `reads`.
  std::vector<std::size_t> order;
  isl::map arrival; // element -> the step of the reader that receives it
};

// Refuses values that would have to overtake each other.
std::optional<std::vector<Link>> links_of(const dataflow::Program& program, const std::vector<Order>& orders,
                                          const std::vector<Read>& reads, Diagnostics& diagnostics);

} // namespace cyclotron::lower
