// SPDX-License-Identifier: MIT
// Charts that do not move: bars, stacked bars and lines, in one SVG drawing for papers and documents. `plot.hpp` draws
// points to explore in a browser.
#pragma once

#include <string>
#include <vector>

namespace cyclotron::explore {

enum class ChartKind { bars, stacked, lines };

struct Series {
  std::string name;
  std::vector<double> x; // lines only
  std::vector<double> y; // bars: one for each category; what is not finite is left out
  bool faint = false;    // drawn pale: time in which nothing happens
};

struct Panel {
  std::string title, x, y; // what the axes show
  ChartKind kind = ChartKind::bars;
  bool log_x = false, log_y = false;
  std::vector<std::string> categories; // bars and stacked: where they stand
  std::vector<Series> series;
};

struct Chart {
  std::string title;
  std::vector<Panel> panels; // side by side
};

std::string chart_svg(const Chart& chart);

// Where an axis has marks: round numbers that cover `low` to `high`, about five; powers of ten where `log`, with 2 and
// 5 between them where these would be fewer than three.
std::vector<double> marks_of(double low, double high, bool log);

} // namespace cyclotron::explore
