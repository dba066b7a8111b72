// SPDX-License-Identifier: MIT
#include "driver/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::driver {

using tensor::Tensor;

namespace {

constexpr std::size_t most_shown = 8; // entries, rows and columns

double value_at(const Tensor& t, std::int64_t position) {
  return tensor::is_float(t.type()) ? tensor::float_at(t.values, position)
                                    : static_cast<double>(tensor::integer_at(t.values, position));
}

bool is_dense(const Tensor& t) { return tensor::is_dense(t.format); }

std::string print_real(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value); }

std::string percent(std::int64_t part, std::int64_t whole) {
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return share >= 10 ? fmt::format("{:.0f} %", share) : fmt::format("{:.2g} %", share);
}

std::string print_value(const Tensor& t, std::int64_t position) {
  if (position < 0) return "0";
  if (t.type() == tensor::ValueType::boolean) return tensor::integer_at(t.values, position) ? "true" : "false";
  if (!tensor::is_float(t.type())) return std::to_string(tensor::integer_at(t.values, position));
  return print_real(tensor::float_at(t.values, position));
}

std::string shape_text(const Tensor& t) {
  return t.dims.empty() ? "scalar" : fmt::format("{}", fmt::join(t.dims, " x "));
}

// The first entries of a vector in a row, the corner of a matrix as a table.
std::string corner(const Tensor& t) {
  const std::int64_t rows = t.rank() == 1 ? 1 : t.dims[0], columns = t.dims.back();
  const std::int64_t shown_rows = std::min<std::int64_t>(rows, most_shown),
                     shown_columns = std::min<std::int64_t>(columns, most_shown);
  std::vector<std::vector<std::string>> cells;
  std::size_t width = 1;
  for (std::int64_t i = 0; i < shown_rows; ++i) {
    cells.emplace_back();
    for (std::int64_t j = 0; j < shown_columns; ++j) {
      const std::int64_t at[2] = {t.rank() == 1 ? j : i, j};
      cells.back().push_back(print_value(t, tensor::locate(t, at)));
      width = std::max(width, cells.back().back().size());
    }
  }
  std::string out;
  for (const auto& row : cells) {
    std::string line = " ";
    for (const std::string& cell : row) line += t.rank() == 1 ? " " + cell : fmt::format(" {:>{}}", cell, width);
    out += line + (columns > shown_columns ? " …" : "") + "\n";
  }
  if (rows > shown_rows) out += "  …\n";
  return out;
}

// The first stored entries with their coordinates.
std::string listing(const Tensor& t) {
  std::string out;
  const tensor::Entries entries = tensor::unpack(t);
  std::size_t shown = 0;
  for (std::int64_t e = 0; e < entries.count() && shown < most_shown; ++e) {
    if (value_at(t, e) == 0) continue;
    std::vector<std::int64_t> at;
    for (const auto& c : entries.coordinates) at.push_back(c[static_cast<std::size_t>(e)]);
    out += fmt::format("  ({}) {}\n", fmt::join(at, ", "), print_value(t, e));
    ++shown;
  }
  if (static_cast<std::int64_t>(shown) < tensor::nonzeros(t)) out += "  …\n";
  return out;
}

// Where the nonzeros of a matrix are, two by four of them in one braille character.
std::string picture(const Tensor& t) {
  constexpr std::int64_t most_dots = 96;
  const std::int64_t rows = t.dims[0], columns = t.dims[1];
  const double scale = std::max(1.0, static_cast<double>(std::max(rows, columns)) / most_dots);
  const auto dot = [&](std::int64_t i) { return static_cast<std::int64_t>(static_cast<double>(i) / scale); };
  const std::int64_t wide = dot(columns - 1) / 2 + 1, high = dot(rows - 1) / 4 + 1;
  std::vector<unsigned> cells(static_cast<std::size_t>(wide * high), 0);
  const tensor::Entries entries = tensor::unpack(t);
  constexpr unsigned bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  for (std::int64_t e = 0; e < entries.count(); ++e) {
    if (value_at(t, e) == 0) continue;
    const std::int64_t i = dot(entries.coordinates[0][static_cast<std::size_t>(e)]),
                       j = dot(entries.coordinates[1][static_cast<std::size_t>(e)]);
    cells[static_cast<std::size_t>(i / 4 * wide + j / 2)] |= bits[i % 4][j % 2];
  }
  std::string out;
  for (std::int64_t r = 0; r < high; ++r) {
    out += "  ";
    for (std::int64_t c = 0; c < wide; ++c) {
      const unsigned code = 0x2800 + cells[static_cast<std::size_t>(r * wide + c)];
      out += {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
              static_cast<char>(0x80 | (code & 0x3F))};
    }
    out += "\n";
  }
  return out;
}

} // namespace

Statistics statistics_of(const Tensor& t) {
  Statistics s;
  double elements = 1;
  for (std::int64_t d : t.dims) elements *= static_cast<double>(d);
  s.elements = elements > 9e18 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(elements);
  s.stored = t.stored();
  s.smallest = std::numeric_limits<double>::infinity();
  s.largest = -s.smallest;
  double squares = 0;
  for (std::int64_t i = 0; i < s.stored; ++i) {
    const double v = value_at(t, i);
    s.nonzeros += v != 0;
    s.nans += std::isnan(v);
    s.infinite += std::isinf(v);
    if (std::isnan(v) || v == 0) continue;
    if (std::isfinite(v)) squares += v * v;
    s.smallest = std::min(s.smallest, v);
    s.largest = std::max(s.largest, v);
  }
  // An element that is zero counts whether it is stored or not: that is the target's choice.
  if (s.nonzeros < s.elements) {
    s.smallest = std::min(s.smallest, 0.0);
    s.largest = std::max(s.largest, 0.0);
  }
  s.norm = std::sqrt(squares);
  return s;
}

std::string headline(const Tensor& t) {
  const Statistics s = statistics_of(t);
  std::string out = fmt::format("{} {}", shape_text(t), tensor::name_of(t.type()));
  if (t.rank() > 0) out += " " + tensor::to_string(t.format);
  if (!is_dense(t)) {
    out += fmt::format(", {} nonzero{}", s.nonzeros, s.nonzeros == 1 ? "" : "s");
    if (s.elements > 0) out += fmt::format(" ({})", percent(s.nonzeros, s.elements));
  }
  return out;
}

std::string describe(const Tensor& t) {
  if (t.rank() == 0) return fmt::format("  {}\n", print_value(t, 0));
  const Statistics s = statistics_of(t);
  if (s.elements == 0) return "  empty\n";
  std::string out;
  if (s.elements > s.nans && t.type() != tensor::ValueType::boolean)
    out += fmt::format("  norm {:.6g}, smallest {:.6g}, largest {:.6g}\n", s.norm, s.smallest, s.largest);
  if (s.nans > 0) out += fmt::format("  {} of {} stored values are not numbers (NaN)\n", s.nans, s.stored);
  if (is_dense(t) && t.rank() <= 2) return out + corner(t);
  if (t.rank() == 2 && t.dims[0] > 8) out += picture(t);
  return out + listing(t);
}

nlohmann::ordered_json to_json(const Tensor& t) {
  const Statistics s = statistics_of(t);
  // JSON has no infinities: they are written as texts.
  const auto number = [](double v) {
    return std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json(print_real(v));
  };
  nlohmann::ordered_json json;
  json["shape"] = t.dims;
  json["type"] = tensor::name_of(t.type());
  json["format"] = tensor::to_string(t.format);
  json["stored"] = s.stored;
  json["nonzeros"] = s.nonzeros;
  json["nan"] = s.nans;
  json["infinite"] = s.infinite;
  json["norm"] = number(s.norm);
  json["smallest"] = number(s.smallest);
  json["largest"] = number(s.largest);
  json["first"] = nlohmann::ordered_json::array();
  const tensor::Entries entries = tensor::unpack(t);
  for (std::int64_t e = 0; e < entries.count() && json["first"].size() < most_shown; ++e) {
    nlohmann::ordered_json entry;
    entry["at"] = nlohmann::ordered_json::array();
    for (const auto& c : entries.coordinates) entry["at"].push_back(c[static_cast<std::size_t>(e)]);
    if (tensor::is_float(t.type())) entry["value"] = number(tensor::float_at(t.values, e));
    else if (t.type() == tensor::ValueType::boolean) entry["value"] = tensor::integer_at(t.values, e) != 0;
    else entry["value"] = tensor::integer_at(t.values, e);
    json["first"].push_back(std::move(entry));
  }
  return json;
}

std::string print_json_text(const nlohmann::ordered_json& json, int indent) {
  const std::string flat = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (!json.is_structured() || json.empty() || flat.size() + static_cast<std::size_t>(indent) < 100) return flat;
  const std::string blanks(static_cast<std::size_t>(indent) + 2, ' ');
  std::string out;
  for (const auto& [key, value] : json.items()) {
    out += (out.empty() ? "\n" : ",\n") + blanks;
    if (json.is_object()) out += nlohmann::ordered_json(key).dump() + ": ";
    out += print_json_text(value, indent + 2);
  }
  return (json.is_object() ? "{" : "[") + out + "\n" + std::string(static_cast<std::size_t>(indent), ' ') +
         (json.is_object() ? "}" : "]");
}

} // namespace cyclotron::driver
