// SPDX-License-Identifier: MIT
// One point of a sweep: the parameters that were chosen and what came out.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace cyclotron::explore {

struct Point {
  std::map<std::string, std::string> parameters; // latency, fifo depth, grid, tile, the schedule's name and text
  std::string family;                            // such as `weight-stationary`
  std::optional<std::int64_t> cycles;            // where it ran
  double utilisation = 0;                        // from 0 to 1
  std::int64_t pes = 0;
  std::int64_t memory_bytes_per_pe = 0;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;   // of all messages
  std::string verdict = ""; // `ok`, or `refused: …`, `wrong: …`, `failed: …` with the reason

  bool is_ok() const { return verdict == "ok"; }
  bool operator==(const Point&) const = default;
};

// An object with a key per field; cycles may be null.
nlohmann::ordered_json to_json(const Point& point);

// Nothing where it is no such object.
std::optional<Point> point_from_json(const nlohmann::ordered_json& json);

} // namespace cyclotron::explore
