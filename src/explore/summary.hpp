// SPDX-License-Identifier: MIT
// What a sweep found, for people: the front, the best of every family, and what latency and FIFO depth do to them.
#pragma once

#include "explore/points.hpp"

#include <string>
#include <vector>

namespace cyclotron::explore {

// The parameters of a point that these look at.
namespace parameter {
inline constexpr const char* schedule = "schedule";
inline constexpr const char* operands = "operands";
inline constexpr const char* grid = "grid";
inline constexpr const char* tile = "tile";
inline constexpr const char* latency = "latency";
inline constexpr const char* depth = "fifo depth";
} // namespace parameter

// On the machine with this latency and FIFO depth, by PEs: the points that are faster than all with fewer PEs. Of equal
// ones the one with the fewest messages, then the least memory, then the shortest schedule.
std::vector<const Point*> front_of(const std::vector<Point>& points, const std::string& latency,
                                   const std::string& depth);

// The fastest point of each family on that machine; of equal ones the one with the fewest PEs, then as above.
std::vector<const Point*> best_of_families(const std::vector<Point>& points, const std::string& latency,
                                           const std::string& depth);

// A table of them, a line each, then each one's schedule.
std::string print_points(const std::vector<const Point*>& points);

// The fewest cycles by latency (down) and depth (across), of all and of each family; then the front, cycles on so many
// PEs, of each machine.
std::string print_machine_effect(const std::vector<Point>& points, const std::vector<std::string>& latencies,
                                 const std::vector<std::string>& depths);

// Reasons of those refused, the most frequent first, at most so many: `12 x ...`. Names in backquotes and numbers do
// not tell reasons apart.
std::string print_refusals(const std::vector<Point>& points, std::size_t most);

} // namespace cyclotron::explore
