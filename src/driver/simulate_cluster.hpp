// SPDX-License-Identifier: MIT
// A program on clusters that are not here: how long it will take on so many ranks, by the figures of a machine.
#pragma once

#include "driver/run_mpi.hpp"

#include <string>
#include <vector>

namespace cyclotron::driver {

struct ClusterOptions {
  std::vector<int> ranks; // one line of the table each
  std::string machine;    // a file of figures, as `cyclotron-mpi --measure` writes; "": of this machine
  std::string plot;       // an .svg; "" for none
};

struct ScalingPoint {
  int ranks = 1;
  double seconds = 0;
  double busy = 0; // the part of the ranks' time that is computing
  std::uint64_t messages = 0, bytes = 0;
  double work = 0;
};

// The figures of the file, or of this machine.
std::optional<pe::MachineModel> figures_for(const ClusterOptions& options, Diagnostics& diagnostics);

std::optional<std::vector<ScalingPoint>> scale(const pe::Program& program, const ClusterOptions& options,
                                               Diagnostics& diagnostics);

std::string table_of(const std::vector<ScalingPoint>& points);
std::string scaling_picture(const std::vector<ScalingPoint>& points, const std::string& title);

} // namespace cyclotron::driver
