// SPDX-License-Identifier: MIT
// The simulated machines, for the verbs that use them.
#pragma once

#include "backend/array/simulate.hpp"
#include "driver/commands.hpp"
#include "driver/compile_array.hpp"
#include "driver/simulate_cluster.hpp"

namespace cyclotron::driver {

struct SimulateOptions {
  CommonOptions common;
  std::vector<Assignment> inputs;
  std::vector<Assignment> outputs;
  array::Machine machine;
  std::vector<std::string> torus;
  std::string target = "array";
  std::string grid, spacetime, utilisation, trace; // files; "" for none
  std::string graph, timeline, tokens;             // files, of stream graphs
  bool record = false;                             // steps and waits, in the JSON
  bool check = true;                               // the values
  ClusterOptions cluster;                          // with ranks: not the array, but a cluster
};

// By the target `array`, and by `mpi`: not the values, but how long it takes on a cluster.
int simulate_on_array(const SimulateOptions& options);
int simulate_on_ranks(const SimulateOptions& options);

// Refuses FIFOs that are too shallow before the run, with the depth that suffices.
std::optional<array::Result> simulate_array(const pe::Program& program,
                                            const std::map<std::string, tensor::Tensor>& inputs,
                                            const array::Machine& machine, bool records, Diagnostics& diagnostics);

} // namespace cyclotron::driver
