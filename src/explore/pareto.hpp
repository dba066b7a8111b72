// SPDX-License-Identifier: MIT
// The Pareto front: the points that no other point beats. One beats another where it is nowhere larger and somewhere
// smaller.
#pragma once

#include "explore/points.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace cyclotron::explore {

// Smaller is better. Nothing: the point takes no part.
struct Objective {
  std::string name;
  std::function<std::optional<double>(const Point&)> value;
};

// cycles, pes, memory_bytes_per_pe, messages, bytes, and idle: the part of the time that PEs do not compute. Only
// points that are ok take part.
const std::vector<Objective>& objectives();
const Objective* find_objective(std::string_view name);

// Indices into `points`, sorted by the first objective, then by the others; equal points are all in it.
std::vector<std::size_t> pareto_front(const std::vector<Point>& points, const std::vector<Objective>& objectives);

} // namespace cyclotron::explore
