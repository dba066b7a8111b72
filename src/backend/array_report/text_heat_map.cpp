// SPDX-License-Identifier: MIT
// The heat map: cells are four characters wide (percent), two, or one, as the width of the terminal allows.
#include "backend/array_report/text.hpp"

#include "backend/array_report/figures.hpp"
#include "report/colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::array_report {

using report::Colour;
using report::ink_on;
using report::ramp;
using report::terminal_colour;

namespace {

constexpr std::int64_t most_lines = 48;
constexpr std::int64_t percent_cell = 4;
constexpr std::string_view shades = " .:-=+*#%@"; // tenths of utilisation

// What is shown: a matrix of utilisations, each the mean of a block of PEs.
struct Map {
  std::int64_t rows = 0, columns = 0, block_rows = 1, block_columns = 1;
  std::vector<double> cells; // negative: nothing there
  std::vector<std::string> labels;
};

std::int64_t over(std::int64_t count, std::int64_t group) { return (count + group - 1) / group; }

// An array of one axis is folded into lines, so that its cells keep their numbers.
Shape lines_of(const Statistics& s, std::int64_t room) {
  const Shape shape = shape_of(s);
  const std::int64_t fit = std::max<std::int64_t>(1, room / percent_cell);
  if (s.extents.size() > 1 || shape.columns <= fit) return shape;
  std::int64_t columns = 1;
  while (columns * 2 <= fit) columns *= 2;
  const std::int64_t rows = over(shape.columns, columns);
  return rows <= most_lines ? Shape{rows, columns} : shape;
}

Map map_of(const Statistics& s, std::int64_t room) {
  const Shape shape = lines_of(s, room);
  const std::int64_t block = std::max(over(shape.columns, room), over(shape.rows, most_lines));
  Map map;
  map.block_rows = std::min(block, shape.rows);
  map.block_columns = block;
  map.rows = over(shape.rows, map.block_rows);
  map.columns = over(shape.columns, map.block_columns);
  std::vector<double> sums(static_cast<std::size_t>(map.rows * map.columns), 0), counts = sums;
  map.labels.resize(static_cast<std::size_t>(map.rows));
  for (std::size_t p = 0; p < s.pes.size(); ++p) {
    const auto index = static_cast<std::int64_t>(p);
    const std::int64_t row = index / shape.columns / map.block_rows, column = index % shape.columns / map.block_columns;
    const auto cell = static_cast<std::size_t>(row * map.columns + column);
    sums[cell] += shares_of(s.pes[p], s.cycles).computing;
    counts[cell] += 1;
    std::string& label = map.labels[static_cast<std::size_t>(row)];
    if (label.empty()) label = place_text(s.pes[p]);
  }
  for (std::size_t c = 0; c < sums.size(); ++c) map.cells.push_back(counts[c] > 0 ? sums[c] / counts[c] : -1);
  return map;
}

std::string cell_text(double share, std::int64_t width, bool colour) {
  const auto blanks = static_cast<std::size_t>(width);
  if (share < 0) return std::string(blanks, ' ');
  if (width == percent_cell) return fmt::format("{:>3} ", std::lround(100 * share));
  if (colour) return std::string(blanks, ' ');
  return std::string(blanks, shades[std::min<std::size_t>(9, static_cast<std::size_t>(share * 10))]);
}

std::string colour_code(double share) {
  if (share < 0) return "\033[0m";
  const Colour back = ramp(share);
  return fmt::format("\033[48;5;{};38;5;{}m", terminal_colour(back), terminal_colour(ink_on(back)));
}

// Neighbours of the same colour share its code.
std::string row_text(const double* begin, const double* end, std::int64_t width, bool colour) {
  std::string out, current;
  for (const double* share = begin; share != end; ++share) {
    if (const std::string code = colour ? colour_code(*share) : ""; code != current) out += current = code;
    out += cell_text(*share, width, colour);
  }
  return colour ? out + "\033[0m" : out;
}

std::string key(const Map& map, std::int64_t width, bool colour) {
  std::string out = "  utilisation in percent";
  if (width != percent_cell) {
    const double tenths[] = {0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95};
    out = "  utilisation from 0 to 100 percent: " + row_text(std::begin(tenths), std::end(tenths), 1, colour);
  }
  const std::string rows = map.block_rows > 1 ? fmt::format("{} x ", map.block_rows) : "";
  if (map.block_columns > 1) out += fmt::format(" (each cell the mean of {}{} PEs)", rows, map.block_columns);
  return out + "\n";
}

} // namespace

std::string heat_map(const array::Statistics& statistics, const TextOptions& options) {
  if (statistics.pes.empty()) return "";
  std::size_t label_width = 0;
  for (const PeStatistics& pe : statistics.pes) label_width = std::max(label_width, place_text(pe).size());
  const std::int64_t room =
      std::max<std::int64_t>(8, static_cast<std::int64_t>(options.width) - static_cast<std::int64_t>(label_width) - 4);
  const Map map = map_of(statistics, room);
  std::int64_t width = 1;
  if (map.columns * 2 <= room) width = 2;
  if (map.block_columns == 1 && map.columns * percent_cell <= room) width = percent_cell;
  std::string out = key(map, width, options.colour);
  for (std::int64_t r = 0; r < map.rows; ++r) {
    const double* row = map.cells.data() + r * map.columns;
    const std::string line = fmt::format("  {:>{}} {}", map.labels[static_cast<std::size_t>(r)], label_width,
                                         row_text(row, row + map.columns, width, options.colour));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

} // namespace cyclotron::array_report
