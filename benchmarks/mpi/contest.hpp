// SPDX-License-Identifier: MIT
// Contestants solve the same problem on the same ranks, in turns, and are checked alike.
#pragma once

#include "problem.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cyclotron::bench {

// A piece of a result that this rank holds: rows x columns elements from (row, column) on.
struct Block {
  long row, column;
  long rows, columns;
  const double* data;
  long row_stride, column_stride;
};

// All functions are called by all ranks together.
struct Contestant {
  std::string name;
  std::string settings; // the choices behind it: grid, block size, schedule
  double flops;         // of one run, over all ranks
  std::function<void()> prepare;
  std::function<void()> run;                  // what is timed
  std::function<std::vector<Block>()> result; // none: it solves nothing, there is nothing to check
};

struct Measurement {
  std::string name, settings;
  std::vector<double> seconds; // of every run that counts: the slowest rank's
  double median;
  double gflops;   // at the median
  double residual; // relative; negative where there is nothing to check
  bool right() const;
};

constexpr double tolerance = 1e-11; // of a relative residual, in the 2-norm

// The time of one run: prepared, from a barrier to the slowest rank's end.
double time_once(const Contestant&);

// One run of each to warm up, whose results are checked; then `repeat` rounds in which each has one turn.
std::vector<Measurement> measure(const Problem&, const std::vector<Contestant>&, int repeat);

// The fastest of many candidates, which are made one after the other: one run of each, two more of the best four.
std::size_t fastest(const std::vector<std::function<Contestant()>>& candidates);

} // namespace cyclotron::bench
