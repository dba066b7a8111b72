// SPDX-License-Identifier: MIT
// Inputs into the parts of a rank, and results out of them.
#pragma once

#include "backend/mpi/job.hpp"

#include <map>
#include <string>

namespace cyclotron_mpi {

using Named = std::map<std::string, std::string>;

// Collective. What is wrong, the same words on every rank; empty where all is well.
std::string fill_inputs(const cyclotron::mpi::Job& job, cyclotron::mpi::Rank& rank, const Named& inputs,
                        const cyclotron::mpi::Context& context);
std::string write_outputs(const cyclotron::mpi::Job& job, cyclotron::mpi::Rank& rank, const Named& outputs,
                          const cyclotron::mpi::Context& context);

} // namespace cyclotron_mpi
