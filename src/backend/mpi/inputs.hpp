// SPDX-License-Identifier: MIT
// Inputs into the parts of a rank, and results out of them, each rank its own.
#pragma once

#include "backend/mpi/job.hpp"

#include <map>
#include <string>

namespace cyclotron::mpi {

// Name, and file or generator.
using Named = std::map<std::string, std::string>;

// Collective. What is wrong with the names alone, before anything is read; empty where nothing is.
std::string check_names(const Job& job, const Named& inputs, const Named& outputs);

// Collective. What is wrong, the same words on every rank; empty where all is well.
std::string fill_inputs(const Job& job, Rank& rank, const Named& inputs, const Context& context);
std::string write_outputs(const Job& job, Rank& rank, const Named& outputs, const Context& context);

} // namespace cyclotron::mpi
