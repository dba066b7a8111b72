// SPDX-License-Identifier: MIT
// The three computations behind ScaLAPACK's interface as recurrences with schedules, compiled for the shape of a call.
#pragma once

#include "backend/mpi/scalapack/engine.hpp"
#include "pe/ir.hpp"

namespace cyclotron::api {

// Collective: one rank compiles, all get the same. Throws std::runtime_error with what the compiler says.
pe::Program scalapack_program(const mpi::scalapack::Shape& shape, MPI_Comm communicator);

} // namespace cyclotron::api
