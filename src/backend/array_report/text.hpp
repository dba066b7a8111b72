// SPDX-License-Identifier: MIT
// A run of an array for the terminal: a summary, and a heat map of the utilisation over the grid.
#pragma once

#include "backend/array/statistics.hpp"

#include <cstddef>
#include <string>

namespace cyclotron::array_report {

struct TextOptions {
  std::size_t width = 80; // of the terminal
  bool colour = false;    // escape sequences of a terminal with 256 colours
};

// Cycles beside their closed form, utilisation, time per PE (per role where there are many), traffic and the busiest
// links, and how many PEs computed over time.
std::string summary(const array::Statistics& statistics, const TextOptions& options = {});

// One cell per PE with its utilisation in percent; a character or a colour where they are many; means of square blocks
// where even those do not fit.
std::string heat_map(const array::Statistics& statistics, const TextOptions& options = {});

} // namespace cyclotron::array_report
