// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cyclotron::bench {

namespace {

bool wrong(const Measurement& measurement) { return measurement.residual >= 0 && !measurement.right(); }

nlohmann::ordered_json json_of(const Measurement& measurement) {
  nlohmann::ordered_json made{{"name", measurement.name},
                              {"settings", measurement.settings},
                              {"seconds", measurement.seconds},
                              {"median", measurement.median},
                              {"gflops", measurement.gflops}};
  if (measurement.residual >= 0) made["residual"] = measurement.residual;
  return made;
}

} // namespace

void print_heading(const Report& report) {
  fmt::print("{} ranks, one BLAS thread each; median of {}, in turns\n", report.ranks, report.repeat);
  fmt::print("{:<6} {:<16} {:<10} {:<34} {:>10} {:>8} {:>9}\n", "op", "shape", "", "settings", "ms", "GF/s",
             "residual");
}

void print_row(const Row& row) {
  for (const Measurement& measurement : row.measurements)
    fmt::print("{:<6} {:<16} {:<10} {:<34} {:>10.3f} {:>8.1f} {:>9}{}\n", name_of(row.problem.operation),
               row.problem.shape(), measurement.name, measurement.settings, measurement.median * 1e3,
               measurement.gflops, measurement.residual < 0 ? "" : fmt::format("{:.1e}", measurement.residual),
               wrong(measurement) ? " WRONG" : "");
  std::fflush(stdout);
}

void write_json(const Report& report, const std::string& path) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Row& row : report.rows) {
    nlohmann::ordered_json measurements = nlohmann::ordered_json::array();
    for (const Measurement& measurement : row.measurements) measurements.push_back(json_of(measurement));
    rows.push_back({{"op", name_of(row.problem.operation)},
                    {"m", row.problem.m},
                    {"n", row.problem.n},
                    {"k", row.problem.k},
                    {"contestants", measurements}});
  }
  const nlohmann::ordered_json all{
      {"ranks", report.ranks}, {"repeat", report.repeat}, {"tolerance", tolerance}, {"rows", rows}};
  std::ofstream file(path);
  file << all.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error(fmt::format("cannot write `{}`", path));
}

int wrong_results(const Report& report) {
  int count = 0;
  for (const Row& row : report.rows)
    for (const Measurement& measurement : row.measurements) count += wrong(measurement);
  return count;
}

} // namespace cyclotron::bench
