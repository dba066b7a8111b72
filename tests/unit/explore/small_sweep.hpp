// SPDX-License-Identifier: MIT
// A program with small inputs, and all that a search of its schedules needs.
#pragma once

#include "driver/explore_checker.hpp"
#include "driver/explore_solver.hpp"
#include "explore/problem.hpp"

#include <string>
#include <vector>

namespace cyclotron::explore {

struct SmallSweep {
  driver::ExploreSweep sweep;
  std::map<std::string, tensor::Tensor> expected;

  explicit SmallSweep(const std::string& text);

  std::vector<driver::Candidate> candidates(const ProblemOptions& options = {}) const;

  // Simulated at a latency and a depth, and checked where it ran.
  std::vector<Point> points(const std::vector<driver::Candidate>& candidates, std::int64_t latency = 1,
                            std::int64_t depth = 0) const;
};

extern const std::string small_product, small_triangular_solve; // 4 x 4 x 4; 12 x 12

} // namespace cyclotron::explore
