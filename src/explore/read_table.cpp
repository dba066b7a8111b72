// SPDX-License-Identifier: MIT
// Tables of points that were written before, or by a spreadsheet.
#include "explore/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <iterator>

namespace cyclotron::explore {

namespace {

struct Cell {
  std::string text;
  bool quoted = false;
};

struct Row {
  std::vector<Cell> cells;
  std::int64_t line = 1; // where it begins
};

// Cuts a CSV text into rows; lines end in \n or \r\n.
class CsvRows {
public:
  explicit CsvRows(const std::string& text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }

  // Nothing where a quote is not closed.
  std::optional<Row> next() {
    Row row{{}, line_};
    while (true) {
      std::optional<Cell> cell = next_cell();
      if (!cell) return std::nullopt;
      row.cells.push_back(std::move(*cell));
      if (at_end() || text_[at_++] != ',') break;
    }
    ++line_;
    return row;
  }

private:
  std::optional<Cell> next_cell() {
    Cell cell;
    if (!at_end() && text_[at_] == '"') {
      cell.quoted = true;
      ++at_;
      if (!read_quoted(cell.text)) return std::nullopt;
    }
    for (; !at_end() && text_[at_] != ',' && text_[at_] != '\n'; ++at_)
      if (text_[at_] != '\r') cell.text += text_[at_];
    return cell;
  }

  // Up to the closing quote and past it; two quotes stand for one.
  bool read_quoted(std::string& out) {
    for (; !at_end(); ++at_) {
      if (text_[at_] == '"' && text_[++at_] != '"') return true; // the text ends in a 0, so that one may look ahead
      if (text_[at_] == '\n') ++line_;
      out += text_[at_];
    }
    return false;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

constexpr std::size_t fixed = std::size(result_columns);

template <class Number> bool read_number(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The first column that does not hold a number, or `fixed`.
std::size_t read_results(const Row& row, Point& point) {
  point.family = row.cells[0].text;
  point.verdict = row.cells[1].text;
  if (!row.cells[2].text.empty() && !read_number(row.cells[2].text, point.cycles.emplace())) return 2;
  if (!read_number(row.cells[3].text, point.utilisation)) return 3;
  std::int64_t* const counts[] = {&point.pes, &point.memory_bytes_per_pe, &point.messages, &point.bytes};
  for (std::size_t c = 4; c < fixed; ++c)
    if (!read_number(row.cells[c].text, *counts[c - 4])) return c;
  return fixed;
}

bool check_header(const Row& header, const std::string& file, Diagnostics& diagnostics) {
  for (std::size_t c = 0; c < fixed; ++c) {
    const std::string found = c < header.cells.size() ? header.cells[c].text : "";
    if (found == result_columns[c]) continue;
    diagnostics.error(Place{file, 1, 0, ""}, fmt::format("expected `{}` as the name of column {}, found `{}`",
                                                         result_columns[c], c + 1, found));
    return false;
  }
  return true;
}

} // namespace

std::optional<std::vector<Point>> read_csv(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
  CsvRows rows(text);
  const std::optional<Row> header = rows.next();
  if (!header) {
    diagnostics.error(Place{file, 1, 0, ""}, "a quoted cell is not closed");
    return std::nullopt;
  }
  if (!check_header(*header, file, diagnostics)) return std::nullopt;
  std::vector<Point> points;
  while (!rows.at_end()) {
    const std::optional<Row> row = rows.next();
    if (!row) {
      diagnostics.error(Place{file, 0, 0, ""}, "a quoted cell is not closed: the file is cut short or damaged");
      return std::nullopt;
    }
    const bool blank = row->cells.size() == 1 && row->cells[0].text.empty();
    if (blank) continue;
    if (row->cells.size() != header->cells.size()) {
      diagnostics.error(Place{file, row->line, 0, ""},
                        fmt::format("expected {} cells, found {}", header->cells.size(), row->cells.size()));
      return std::nullopt;
    }
    Point point;
    if (const std::size_t bad = read_results(*row, point); bad < fixed) {
      diagnostics.error(Place{file, row->line, 0, ""}, fmt::format("expected a number in column `{}`, found `{}`",
                                                                   result_columns[bad], row->cells[bad].text));
      return std::nullopt;
    }
    for (std::size_t c = fixed; c < row->cells.size(); ++c)
      if (row->cells[c].quoted || !row->cells[c].text.empty())
        point.parameters[header->cells[c].text] = row->cells[c].text;
    points.push_back(std::move(point));
  }
  return points;
}

std::optional<std::vector<Point>> read_json(const std::string& text, const std::string& file,
                                            Diagnostics& diagnostics) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("points") || !json["points"].is_array()) {
    diagnostics.error(Place{file, 0, 0, ""}, "expected a JSON object with a list `points`");
    return std::nullopt;
  }
  std::vector<Point> points;
  for (const auto& entry : json["points"]) {
    std::optional<Point> point = point_from_json(entry);
    if (!point) {
      diagnostics.error(Place{file, 0, 0, ""},
                        fmt::format("entry {} of `points` is not a point of a sweep", points.size() + 1));
      return std::nullopt;
    }
    points.push_back(std::move(*point));
  }
  return points;
}

} // namespace cyclotron::explore
