// SPDX-License-Identifier: MIT
#include "study/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::study {
namespace {

constexpr std::size_t line_length = 100;

std::string text_of(const Cell& cell) {
  if (cell.is_string()) return cell.get<std::string>();
  return cell.is_number_float() ? fmt::format("{:.2f}", cell.get<double>()) : cell.dump();
}

// Breaks a remark into lines.
std::string folded(const std::string& text) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > line_length) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line + "\n";
}

} // namespace

std::string to_text(const StudyReport& report) {
  std::vector<std::size_t> widths;
  std::vector<bool> numbers;
  for (std::size_t c = 0; c < report.columns.size(); ++c) {
    std::size_t width = report.columns[c].size();
    for (const auto& row : report.rows) width = std::max(width, text_of(row[c]).size());
    widths.push_back(width);
    numbers.push_back(std::ranges::any_of(report.rows, [&](const auto& row) { return row[c].is_number(); }));
  }
  const auto line = [&](const auto& cell_at) {
    std::string text;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) text += "  ";
      text += numbers[c] ? fmt::format("{:>{}}", cell_at(c), widths[c]) : fmt::format("{:<{}}", cell_at(c), widths[c]);
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = report.title + "\n\n" + line([&](std::size_t c) { return report.columns[c]; });
  for (const auto& row : report.rows) text += line([&](std::size_t c) { return text_of(row[c]); });
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += folded(note);
  return text;
}

nlohmann::ordered_json to_json(const StudyReport& report) {
  nlohmann::ordered_json json{{"title", report.title}, {"rows", nlohmann::ordered_json::array()}};
  for (const auto& row : report.rows) {
    nlohmann::ordered_json object;
    for (std::size_t c = 0; c < row.size(); ++c) object[report.columns[c]] = row[c];
    json["rows"].push_back(std::move(object));
  }
  json["notes"] = report.notes;
  return json;
}

} // namespace cyclotron::study
