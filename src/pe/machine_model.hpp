// SPDX-License-Identifier: MIT
// What a machine can do, in a few figures: enough to say about how long a program will take on it. The MPI runtime
// measures them once, and they are kept in a file.
#pragma once

#include "pe/cluster_time.hpp"

#include <map>
#include <optional>
#include <string>

namespace cyclotron::pe {

// How fast a kernel is on one core, all cores busy: multiplications and additions a second on large tiles, and the
// least extent of a tile at which half of that is reached.
struct KernelSpeed {
  double flops = 30e9;
  double half_extent = 24;
};

struct MachineModel {
  std::map<std::string, KernelSpeed> kernels; // one that is not here: as GEMM, or as usual
  double elementwise = 1e9;                   // numbers a second
  double step_seconds = 5e-7;                 // of a step, besides
  Link within_node{5e-7, 0};                  // tiles are passed by reference
  Link between_nodes{2e-6, 10e9};
  double message_seconds = 2e-7;
  int ranks_per_node = 0; // 0: all

  double seconds(const StepKind& kind) const;
  ClusterModel cluster() const;
};

// One `name value` a line; parse(print(x)) == x but for digits. Nothing where it is no such text.
std::string print(const MachineModel& model);
std::optional<MachineModel> parse_machine(const std::string& text);

} // namespace cyclotron::pe
