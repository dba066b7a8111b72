// SPDX-License-Identifier: MIT
// The rows as text, Markdown and JSON.
#include "bench.hpp"
#include "machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace cyclotron::bench {

namespace {

std::string seconds_text(double s) {
  if (s >= 1) return fmt::format("{:.3g} s", s);
  if (s >= 1e-3) return fmt::format("{:.3g} ms", s * 1e3);
  return fmt::format("{:.3g} µs", s * 1e6);
}

std::string verdict(const Row& row) {
  switch (row.state) {
  case Row::State::wrong: return "WRONG";
  case Row::State::unavailable: return "missing";
  case Row::State::pending: return "pending";
  case Row::State::measured: break;
  }
  if (row.goal == 0) return "";
  return fmt::format("{} {:.3g}", reached(row) ? "reached" : "BELOW", row.goal);
}

struct Group {
  std::string name, rival;
  double goal = 0, logs = 0, least = INFINITY;
  int count = 0, below = 0;
};

std::vector<Group> groups_of(const std::vector<Row>& rows) {
  std::vector<Group> groups;
  for (const Row& row : rows) {
    if (row.state != Row::State::measured) continue;
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const Group& g) { return g.name == row.group && g.rival == row.rival; });
    if (at == groups.end()) at = groups.insert(groups.end(), {row.group, row.rival, row.goal});
    at->logs += std::log(row.times.ratio);
    at->least = std::min(at->least, row.times.ratio);
    at->count += 1;
    at->below += !reached(row);
  }
  return groups;
}

} // namespace

bool reached(const Row& row) { return row.times.ratio >= row.goal; }

std::string text_of(const Row& row) {
  std::string line = fmt::format("{:<28} {:<22} ", row.group, row.input);
  if (row.state == Row::State::measured)
    line += fmt::format("{:>9} {:>9} {:>7.2f}  ", seconds_text(row.times.ours), seconds_text(row.times.rival),
                        row.times.ratio);
  else line += fmt::format("{:>9} {:>9} {:>7}  ", "", "", "");
  line += fmt::format("{:<11} {}", verdict(row), row.rival);
  if (!row.remark.empty()) line += "; " + row.remark;
  return line;
}

std::string summary(const Bench& bench) {
  std::string out = "geometric means of rival / ours\n";
  for (const Group& g : groups_of(bench.rows()))
    out += fmt::format("{:<28} {:>7.2f}  least {:>7.2f}  of {:>2}{}  {}\n", g.name, std::exp(g.logs / g.count), g.least,
                       g.count, g.goal == 0 ? "" : fmt::format(", {} below {:.3g}", g.below, g.goal), g.rival);
  return out;
}

void write_markdown(const Bench& bench, const std::string& path) {
  std::ofstream out(path);
  out << "# Ours beside others\n\n" << machine_text() << "\n";
  out << "Ratio: their time / ours, higher is better. Medians of rounds taken in turns.\n\n";
  out << "| kernel | input | rival | ours | theirs | ratio | goal | |\n|---|---|---|---:|---:|---:|---:|---|\n";
  for (const Row& r : bench.rows()) {
    const bool measured = r.state == Row::State::measured;
    out << fmt::format("| {} | {} | {} | {} | {} | {} | {} | {}{}{} |\n", r.group, r.input, r.rival,
                       measured ? seconds_text(r.times.ours) : "", measured ? seconds_text(r.times.rival) : "",
                       measured ? fmt::format("{:.2f}", r.times.ratio) : "",
                       r.goal == 0 ? "" : fmt::format("{:.3g}", r.goal), measured ? "" : verdict(r),
                       measured || r.remark.empty() ? "" : ": ", r.remark);
  }
  out << "\n| kernel | rival | geometric mean | least | inputs |\n|---|---|---:|---:|---:|\n";
  for (const Group& g : groups_of(bench.rows()))
    out << fmt::format("| {} | {} | {:.2f} | {:.2f} | {} |\n", g.name, g.rival, std::exp(g.logs / g.count), g.least,
                       g.count);
}

void write_json(const Bench& bench, const std::string& path) {
  nlohmann::ordered_json json;
  for (const auto& [key, value] : machine()) json["machine"][key] = value;
  json["rows"] = nlohmann::ordered_json::array();
  for (const Row& r : bench.rows()) {
    nlohmann::ordered_json row{{"kernel", r.group}, {"input", r.input}, {"rival", r.rival}};
    if (r.goal != 0) row["goal"] = r.goal;
    row["state"] = r.state == Row::State::measured ? "measured" : verdict(r);
    if (r.state == Row::State::measured) {
      row["ours_seconds"] = r.times.ours;
      row["rival_seconds"] = r.times.rival;
      row["ratio"] = r.times.ratio;
      row["rounds"] = r.times.rounds;
    }
    if (!r.remark.empty()) row["remark"] = r.remark;
    json["rows"].push_back(row);
  }
  std::ofstream(path) << json.dump(2) << "\n";
}

} // namespace cyclotron::bench
