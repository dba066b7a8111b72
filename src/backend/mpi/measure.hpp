// SPDX-License-Identifier: MIT
// What this machine can do, measured: how long steps take when all ranks compute, and how fast values come.
#pragma once

#include "backend/mpi/job.hpp"
#include "pe/cluster_time.hpp"
#include "pe/machine_model.hpp"

namespace cyclotron::mpi {

// Collective. Every rank runs each kernel of the job a few times, all at once: cores that share something are as slow
// as they will be. Messages go back and forth between neighbours.
struct Measurement {
  std::vector<double> step_seconds; // per kind of the trace
  pe::Link within_node, between_nodes;
};
Measurement measure(const Job& job, Context& context);

// Collective: the figures that a schedule is chosen by.
pe::MachineModel measure_machine(Context& context);

// How long the run will take with these figures.
pe::ClusterTime predict(const Job& job, const Measurement& measured, const Context& context);

} // namespace cyclotron::mpi
