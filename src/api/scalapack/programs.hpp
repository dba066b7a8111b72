// SPDX-License-Identifier: MIT
// The three computations behind ScaLAPACK's interface as recurrences, compiled for the shape of a call.
#pragma once

#include "backend/mpi/scalapack/pe_engine.hpp"

namespace cyclotron::api {

// Programs for the ranks of a communicator. A long computation gets the schedule that a model of this machine prefers
// of many; for a short one that search would take longer than it saves, and it gets a usual one. One rank compiles, all
// get the same.
mpi::scalapack::ProgramOf scalapack_programs();

} // namespace cyclotron::api
