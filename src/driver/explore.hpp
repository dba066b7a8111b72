// SPDX-License-Identifier: MIT
// `cyclotron explore`: many schedules of a program on many machines.
#pragma once

#include "driver/commands.hpp"

#include <cstdint>

namespace cyclotron::driver {

struct ExploreOptions {
  CommonOptions common;
  std::vector<Assignment> inputs;
  std::vector<std::string> schedules;           // of the program; none: they are enumerated
  std::vector<std::vector<std::string>> spaces; // axes to try; none: all
  std::vector<std::vector<std::int64_t>> grids; // {}: as large as it comes
  std::vector<std::int64_t> tiles = {1}, latencies = {1}, depths = {0};
  bool broadcasts = true;             // there are wires to many PEs at once
  double cycles_per_multiply_add = 1; // of kernels, with tiles
  std::uint64_t budget = 1000, seed = 1;
  unsigned threads = 0;             // 0: as many as the machine has
  std::vector<std::string> outputs; // .csv, .json, .html
  std::string journal;              // "": beside the first output, and gone when all is done
  std::uint64_t measure = 0;        // in lanes: time so many of the best designs
};

// What a shell reports of a program that was interrupted.
constexpr int interrupted = 130;

int explore(const ExploreOptions& options);
int explore_on_simd(const ExploreOptions& options);
int explore_on_cuda(const ExploreOptions& options);

} // namespace cyclotron::driver
