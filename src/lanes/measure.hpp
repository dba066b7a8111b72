// SPDX-License-Identifier: MIT
// What a design is worth before anything runs, as in table 4 of Rong et al.: one array as long as it is, at given
// sizes.
//
//   conv1d_fbs, m = 16, r = 5   -->   16 elements, 5 steps, outturn 16/5 = 3.2, utilisation 16 * 5 / (16 * 5) = 100 %
#pragma once

#include "lanes/ir.hpp"
#include "lanes/points.hpp"

#include <optional>

namespace cyclotron::lanes {

struct Measure {
  std::int64_t elements = 0;   // of the array: places from the first to the last that computes
  std::int64_t steps = 0;      // of the innermost component, from the first to the last, over all others
  std::int64_t outputs = 0;    // elements of tensors that leave the array
  std::int64_t operations = 0; // elements and steps in which something is computed, and not only loaded or passed on
  std::int64_t registers = 0;  // of vectors, where a lane has one element

  double outturn() const; // outputs per step
  double utilisation() const;
};

// Nothing where there are too many points to count. The iterations of workers are one after the other here.
std::optional<Measure> measure(const Program& program, const Sizes& sizes);

} // namespace cyclotron::lanes
