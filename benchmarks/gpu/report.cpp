// SPDX-License-Identifier: MIT
// The rows as text and JSON.
#include "gpu.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace cyclotron::bench::gpu {

std::string text_of(const Row& row) {
  const std::string start = fmt::format("{:<34} {:<44}", row.name, row.schedule);
  if (!row.problem.empty()) return fmt::format("{} {}", start, row.problem);
  const std::string goal = row.goal == 0 ? ""
                                         : fmt::format("{} {:.3g}{}", row.reached() >= row.goal ? "reached" : "BELOW",
                                                       row.goal, row.of_copy ? " of a copy" : "");
  return fmt::format("{} {:>9.1f} {:>9.1f} {:>6.2f} {:>7} {:>9.3f} ms  {}", start, row.rate(row.ours) / 1e9,
                     row.rate(row.plain) / 1e9, row.plain / row.ours,
                     row.copy > 0 ? fmt::format("{:.2f}", row.copy / row.ours) : "", row.ours * 1e3, goal);
}

void write_json(const Bench& bench, const std::string& path) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Row& r : bench.rows()) {
    nlohmann::ordered_json row{{"kernel", r.name}, {"schedule", r.schedule}};
    if (r.problem.empty()) {
      row["unit"] = r.unit;
      row["work"] = r.work;
      row["ours_seconds"] = r.ours;
      row["plain_seconds"] = r.plain;
      if (r.copy > 0) row["copy_seconds"] = r.copy;
      row["difference"] = r.difference;
    } else row["problem"] = r.problem;
    if (r.goal > 0) row["goal"] = r.goal;
    rows.push_back(row);
  }
  std::ofstream(path) << rows.dump(2) << "\n";
}

} // namespace cyclotron::bench::gpu
