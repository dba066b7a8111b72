// SPDX-License-Identifier: MIT
#include "made_sweep.hpp"

namespace cyclotron::explore {

namespace {

constexpr std::int64_t n = 64; // of all three extents

std::string schedule_of(const std::string& family) {
  if (family == "output-stationary") return "space i, j\nstream A along j\nstream B along i";
  if (family == "weight-stationary") return "space k, j\nprefetch B\nstream A along j";
  return "space i, k\nprefetch A\nstream B along i";
}

} // namespace

Point made_point(const std::string& family, std::int64_t side, std::int64_t latency, std::int64_t depth) {
  const bool output = family == "output-stationary";
  const std::int64_t passes = ((n + side - 1) / side) * ((n + side - 1) / side);
  const std::int64_t fill = latency * 2 * (side - 1);
  Point p;
  p.parameters = {{"latency", std::to_string(latency)},
                  {"fifo depth", std::to_string(depth)},
                  {"grid", std::to_string(side) + " x " + std::to_string(side)},
                  {"schedule", schedule_of(family)}};
  p.family = family;
  p.pes = side * side;
  if (depth < latency) {
    p.verdict = "refused: a FIFO of depth " + std::to_string(depth) + " is too shallow, " + std::to_string(latency) +
                " suffices";
    return p;
  }
  p.verdict = "ok";
  const std::int64_t stall = (4 / depth) * (family == "input-stationary" ? 3 : 1);
  p.cycles = passes * (n + fill + (output ? 0 : side) + stall);
  p.utilisation = static_cast<double>(n * n * n) / static_cast<double>(*p.cycles * p.pes);
  p.memory_bytes_per_pe = 8 * (output ? 3 : 2) + 8 * depth * 2;
  p.messages = passes * side * (side - 1) * n * 2;
  p.bytes = 8 * p.messages;
  return p;
}

std::vector<Point> made_sweep() {
  std::vector<Point> points;
  for (const char* family : {"output-stationary", "weight-stationary", "input-stationary"})
    for (const std::int64_t side : {2, 4, 8, 12, 16, 32})
      for (const std::int64_t latency : {1, 2, 4})
        for (const std::int64_t depth : {1, 2, 4}) points.push_back(made_point(family, side, latency, depth));
  return points;
}

} // namespace cyclotron::explore
