// SPDX-License-Identifier: MIT
#include "report/columns.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::report {

std::string aligned(const std::vector<Row>& rows, std::size_t left) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows[0].size(), 0);
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], characters_in(row[c]));
  std::string out;
  for (const Row& row : rows) {
    std::string line = "   ";
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c < left ? fmt::format(" {:<{}}", row[c], widths[c] + 1) : fmt::format(" {:>{}}", row[c], widths[c] + 1);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

} // namespace cyclotron::report
