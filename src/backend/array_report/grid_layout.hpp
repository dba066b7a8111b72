// SPDX-License-Identifier: MIT
// Where the cells of the picture of a grid are, and the arrows between them.
#pragma once

#include "backend/array_report/flows.hpp"
#include "report/drawing.hpp"

namespace cyclotron::array_report {

inline constexpr std::int64_t most_with_arrows = 16, most_cells = 64; // along a side

struct Point {
  double x = 0, y = 0;
};

struct GridLayout {
  Shape cells;            // drawn
  std::int64_t block = 1; // PEs per cell, along each side
  bool arrows = false;
  double side = 12, height = 12, gap = 1; // of a cell
  double margin = 0;                      // around all cells, for arrows that wrap
  double left = 60, top = 84;             // of the first cell

  Point centre(std::int64_t row, std::int64_t column) const {
    return {left + static_cast<double>(column) * (side + gap) + side / 2,
            top + static_cast<double>(row) * (height + gap) + height / 2};
  }
  double right_end() const { return centre(0, cells.columns - 1).x + side / 2 + margin; }
  double lower_end() const { return centre(cells.rows - 1, 0).y + height / 2 + margin; }
};

GridLayout grid_layout(const Statistics& statistics, const std::vector<Arrow>& arrows);

// The heads that `grid_arrow_look` refers to.
void draw_arrow_heads(report::Drawing& drawing, std::size_t values);
std::string grid_arrow_look(std::size_t value, double width);

void draw_arrows(report::Drawing& drawing, const Statistics& statistics, const GridLayout& layout,
                 const std::vector<Arrow>& arrows);

} // namespace cyclotron::array_report
