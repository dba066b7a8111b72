// SPDX-License-Identifier: MIT
// What every PE did when, from whatever was recorded; and the same in as many rows and columns as a picture has.
#pragma once

#include "backend/array_report/figures.hpp"

namespace cyclotron::array_report {

// What a PE did: a step of a space (its index in Statistics::spaces), or one of these.
enum : int { computes = -1, waits_to_receive = -2, waits_to_send = -3, between_steps = -4, idles = -5 };

struct Stretch {
  Time begin = 0, end = 0;
  int kind = idles;
};

// Steps and waits where they were recorded; else all from its first to its last step as `between_steps`. Where two
// overlap, the later in the list covers the earlier.
std::vector<Stretch> stretches_of(const PeStatistics& pe);

struct Bin {
  int kind = idles; // what took most of it
  double share = 0; // the part of it that this took
};

struct Bins {
  std::int64_t rows = 0, columns = 0;
  std::int64_t pes_per_row = 1;
  Time cycles_per_column = 1;
  std::vector<Bin> bins; // row-major
};
Bins bins_of(const Statistics& statistics, std::int64_t most_rows, std::int64_t most_columns);

} // namespace cyclotron::array_report
