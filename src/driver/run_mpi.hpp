// SPDX-License-Identifier: MIT
// Starts mpirun with the MPI runtime on a program of PEs, and takes the results back.
#pragma once

#include "pe/ir.hpp"
#include "pe/machine_model.hpp"
#include "tensor/tensor.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::driver {

struct MpiOptions {
  int ranks = 2;
  std::string spread;           // `block`, `cyclic`, or "" for what balances best
  std::string transport;        // `shared`, `messages`, or "" for the runtime's choice
  std::string checkpoint;       // a folder; "" for none
  std::string checkpoint_every; // seconds; "" for the runtime's choice
};

struct MpiResult {
  std::map<std::string, tensor::Tensor> outputs; // dense
  std::string goes_on;                           // where it went on from a checkpoint: from which
  double seconds = 0;                            // of the run alone
  std::uint64_t pe_messages = 0, pe_bytes = 0, rank_messages = 0, rank_bytes = 0;
};

// Reports what went wrong: no mpirun, no runtime, a rank that died with the PE and step that it was in.
std::optional<MpiResult> run_mpi(const pe::Program& program, const std::map<std::string, tensor::Tensor>& inputs,
                                 const MpiOptions& options, Diagnostics& diagnostics);

// What this machine can do with so many ranks: measured once by the runtime, then kept in the cache folder. Reports
// where that cannot be.
std::optional<pe::MachineModel> machine_for(const MpiOptions& options, Diagnostics& diagnostics);

} // namespace cyclotron::driver
