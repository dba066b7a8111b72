// SPDX-License-Identifier: MIT
#include "explore/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <set>

namespace cyclotron::explore {

namespace {

std::string cell(const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

} // namespace

std::string to_csv(const std::vector<Point>& points) {
  std::set<std::string> names;
  for (const Point& point : points)
    for (const auto& [name, value] : point.parameters) names.insert(name);
  std::string out = fmt::format("{}", fmt::join(result_columns, ","));
  for (const std::string& name : names) out += "," + cell(name);
  out += "\n";
  for (const Point& p : points) {
    out += fmt::format("{},{},{},{},{},{},{},{}", cell(p.family), cell(p.verdict),
                       p.cycles ? std::to_string(*p.cycles) : "", p.utilisation, p.pes, p.memory_bytes_per_pe,
                       p.messages, p.bytes);
    for (const std::string& name : names) {
      const auto found = p.parameters.find(name);
      out += "," + (found == p.parameters.end() ? "" : cell(found->second));
    }
    out += "\n";
  }
  return out;
}

std::string to_json_text(const std::vector<Point>& points) {
  std::string out;
  for (const Point& point : points)
    out += (out.empty() ? "\n    " : ",\n    ") +
           to_json(point).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return "{\n  \"points\": [" + out + (out.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

} // namespace cyclotron::explore
