// SPDX-License-Identifier: MIT
// What a checkpoint belongs to: a program, spread over ranks in a certain way, with certain inputs.
#pragma once

#include "backend/mpi/job.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cyclotron::mpi {

struct RunIdentity {
  std::string program;     // of its text
  std::string placement;   // in words
  std::uint64_t steps = 0; // of all PEs
  // Of this rank: how its programs are coded and what its plan is, and the values of its parts of each input.
  std::uint64_t plan = 0;
  std::vector<std::pair<std::string, std::uint64_t>> inputs;
};

// Once the inputs are there.
RunIdentity identity_of(const std::string& program_text, const Job& job, Rank& rank);

} // namespace cyclotron::mpi
