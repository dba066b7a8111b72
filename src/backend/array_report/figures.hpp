// SPDX-License-Identifier: MIT
// Figures that several reports show and the statistics do not hold: idle time, shares, sums over roles and values.
#pragma once

#include "backend/array/statistics.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::array_report {

using array::LinkStatistics;
using array::PeStatistics;
using array::Statistics;
using array::Time;

// The cycles of the whole run in which it neither computed nor waited.
Time idle_of(const PeStatistics& pe, Time cycles);

// Parts of the whole run; they add up to 1.
struct Shares {
  double computing = 0, receiving = 0, sending = 0, idle = 1;
};
Shares shares_of(const PeStatistics& pe, Time cycles);
Shares mean_shares(const std::vector<const PeStatistics*>& pes, Time cycles);

// What every picture is drawn on: a row of cells for one axis; for more than two, all but the last axis give the row.
struct Shape {
  std::int64_t rows = 0, columns = 0;
};
Shape shape_of(const Statistics& statistics);

// PEs that play the same role; those without one come last, under the name `none`.
struct RoleFigures {
  std::string name;
  std::vector<const PeStatistics*> pes;
};
std::vector<RoleFigures> roles_of(const Statistics& statistics);

// All links that carry the same value, in the order in which values appear.
struct Traffic {
  std::string value;
  std::uint64_t links = 0, messages = 0, bytes = 0, most_waiting = 0;
};
std::vector<Traffic> traffic_of(const Statistics& statistics);
Traffic total_traffic(const Statistics& statistics);

// PEs that compute, on average over the cycles of each bin of `Statistics::active`. A bin holds the cycles of computing
// of all PEs in it, so that the bins add up to the cycles of computing of the whole run.
std::vector<double> activity_of(const Statistics& statistics);

// --- words ---

std::string place_text(const PeStatistics& pe);                 // (1,2)
std::string role_text(const Statistics&, const PeStatistics&);  // its name, or `none`
std::string grid_text(const Statistics& statistics);            // 8 x 8 PEs
std::string heading(const Statistics& statistics);              // matmul, schedule ws
std::string utilisation_text(const Statistics& statistics);     // 65.9 %; 58.2 % computing, 7.7 % moving values only
std::string closed_form_text(const Statistics& statistics);     // "closed form R + C + K - 2 = 10: equal", or empty
std::string hover_text(const Statistics&, const PeStatistics&); // all figures of a PE, several lines

} // namespace cyclotron::array_report
