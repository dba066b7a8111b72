// SPDX-License-Identifier: MIT
// The order of the loops of a stream graph: a tensor is walked level by level, so its indices come in the order in
// which its levels are stored.
#pragma once

#include "lower/stream/term.hpp"

namespace cyclotron::lower {

struct StreamOrder {
  std::vector<std::string> given; // by the schedule, perhaps with indices of other equations; empty: choose
  Span span;                      // of the command
  bool scatters = false;          // the result takes points in any order
};

// The given order, or the one closest to how the indices appear. Reports an order that the formats do not allow, with
// one that they do and with the format that would.
std::optional<std::vector<std::string>> stream_order(const StreamEquation& equation, const StreamOrder& wanted,
                                                     Diagnostics& diagnostics);

} // namespace cyclotron::lower
