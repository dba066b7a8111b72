// SPDX-License-Identifier: MIT
// Points such as a sweep over the matrix product gives: three families, grids, latencies, FIFO depths; from closed
// forms.
#pragma once

#include "explore/points.hpp"

#include <vector>

namespace cyclotron::explore {

Point made_point(const std::string& family, std::int64_t side, std::int64_t latency, std::int64_t depth);
std::vector<Point> made_sweep();

} // namespace cyclotron::explore
