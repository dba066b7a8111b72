// SPDX-License-Identifier: MIT
// What stands around a drawing: its heading, or an HTML page with figures and tables. The page loads nothing.
#pragma once

#include "backend/array_report/figures.hpp"
#include "report/drawing.hpp"

#include <string>
#include <vector>

namespace cyclotron::array_report {

struct Table {
  std::string caption;
  std::vector<std::string> columns; // the first holds names, the others figures
  std::vector<std::vector<std::string>> rows;
};

Table role_table(const Statistics& statistics);
Table traffic_table(const Statistics& statistics);

// What was run, at the top of a picture that stands alone; it takes this much room.
void draw_heading(report::Drawing& drawing, const Statistics& statistics);
inline constexpr double heading_height = 48;

// The page says what was run; the drawing need not.
std::string html_page(const Statistics& statistics, const std::string& what, const std::string& svg,
                      const std::vector<Table>& tables = {});

} // namespace cyclotron::array_report
