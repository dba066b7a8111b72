// SPDX-License-Identifier: MIT
#include "explore/pareto.hpp"

#include <algorithm>

namespace cyclotron::explore {

namespace {

Objective of_field(const char* name, std::int64_t Point::*field) {
  return {name, [field](const Point& point) -> std::optional<double> {
            if (!point.is_ok()) return std::nullopt;
            return static_cast<double>(point.*field);
          }};
}

std::optional<double> cycles_of(const Point& point) {
  if (!point.is_ok() || !point.cycles) return std::nullopt;
  return static_cast<double>(*point.cycles);
}

std::optional<double> idle_of(const Point& point) {
  if (!point.is_ok()) return std::nullopt;
  return 1 - point.utilisation;
}

struct Candidate {
  std::vector<double> values;
  std::size_t index = 0;
};

bool beats(const Candidate& a, const Candidate& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (a.values[i] > b.values[i]) return false;
  return a.values != b.values;
}

} // namespace

const std::vector<Objective>& objectives() {
  static const std::vector<Objective> all = {{"cycles", cycles_of},
                                             of_field("pes", &Point::pes),
                                             of_field("memory_bytes_per_pe", &Point::memory_bytes_per_pe),
                                             of_field("messages", &Point::messages),
                                             of_field("bytes", &Point::bytes),
                                             {"idle", idle_of}};
  return all;
}

const Objective* find_objective(std::string_view name) {
  for (const Objective& objective : objectives())
    if (objective.name == name) return &objective;
  return nullptr;
}

std::vector<std::size_t> pareto_front(const std::vector<Point>& points, const std::vector<Objective>& chosen) {
  std::vector<Candidate> candidates;
  for (std::size_t p = 0; p < points.size(); ++p) {
    Candidate candidate{{}, p};
    for (const Objective& objective : chosen)
      if (const std::optional<double> value = objective.value(points[p])) candidate.values.push_back(*value);
    if (candidate.values.size() == chosen.size()) candidates.push_back(std::move(candidate));
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.values, a.index) < std::tie(b.values, b.index);
  });
  // What beats a candidate stands before it, and so does one of the front that beats it too.
  std::vector<Candidate> front;
  std::vector<std::size_t> indices;
  for (const Candidate& candidate : candidates) {
    if (std::any_of(front.begin(), front.end(), [&](const Candidate& f) { return beats(f, candidate); })) continue;
    front.push_back(candidate);
    indices.push_back(candidate.index);
  }
  return indices;
}

} // namespace cyclotron::explore
