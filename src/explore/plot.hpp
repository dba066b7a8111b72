// SPDX-License-Identifier: MIT
// The points of a sweep as one HTML page that needs nothing else: a scatter plot with axes, colours and scale to
// choose, the Pareto front, what a point is where the pointer rests, and below it a table to sort.
#pragma once

#include "explore/points.hpp"

#include <string>
#include <vector>

namespace cyclotron::explore {

struct PlotOptions {
  std::string title = "explore";
  std::string x = "pes", y = "cycles"; // the axes at first: a result or a parameter whose values are numbers
  std::string colour = "family";       // or a parameter
};

// The result along which a plot spreads the points that ran: the number of PEs, or where all have as many, as on a
// fixed grid, the first other result or parameter of the machine in which they differ.
std::string telling_axis(const std::vector<Point>& points);

std::string plot_html(const std::vector<Point>& points, const PlotOptions& options = {});

// The script of the page (plot_script.cpp).
extern const char* const plot_script;

} // namespace cyclotron::explore
