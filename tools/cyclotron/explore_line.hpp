// SPDX-License-Identifier: MIT
// The command line of `cyclotron explore`.
#pragma once

#include "driver/explore.hpp"

#include <CLI/CLI.hpp>

struct ExploreLine {
  cyclotron::driver::ExploreOptions options;
  std::vector<std::string> inputs, spaces, grids, tiles, latencies, depths;
};

CLI::App* add_explore(CLI::App& app, ExploreLine& line);

// Reads the lists and runs it; the exit code.
int explore_verb(ExploreLine& line);
