// SPDX-License-Identifier: MIT
// The table on the screen and the JSON file of a run.
#pragma once

#include "contest.hpp"

namespace cyclotron::bench {

struct Row {
  Problem problem;
  std::vector<Measurement> measurements;
};

struct Report {
  int ranks, repeat;
  std::vector<Row> rows;
};

void print_heading(const Report&);
void print_row(const Row&);
void write_json(const Report&, const std::string& path); // throws std::runtime_error
int wrong_results(const Report&);

} // namespace cyclotron::bench
