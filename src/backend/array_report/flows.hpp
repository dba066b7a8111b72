// SPDX-License-Identifier: MIT
// The links of a grid as arrows between cells of a picture, and where each channel leads.
#pragma once

#include "backend/array_report/figures.hpp"

namespace cyclotron::array_report {

// All channels that carry a value between the same two PEs in the same direction.
struct Arrow {
  std::size_t value = 0;            // into traffic_of
  int from = 0, to = 0;             // into Statistics::pes
  std::int64_t down = 0, right = 0; // where the channel leads, in cells
  bool wraps = false;               // it leaves the grid on one side and comes back on the other
  std::vector<std::string> channels;
  std::uint64_t messages = 0, bytes = 0, most_waiting = 0;
};

// The statistics do not say which axes wrap. But a channel leads in one direction: the one that most of its links have,
// the shorter where two are as frequent. Its other links wrap.
std::vector<Arrow> arrows_of(const Statistics& statistics);

// "down", "left 2", "down and right", "to itself".
std::string direction_text(std::int64_t down, std::int64_t right);

} // namespace cyclotron::array_report
