// SPDX-License-Identifier: MIT
// The process grid behind a BLACS context.
#pragma once

#include "backend/mpi/scalapack/cyclic.hpp"

#include <mpi.h>

namespace cyclotron::mpi::scalapack {

// This process's place in the grid; grid rows of -1 where it has none, or there is no such context.
GridPlace grid_place(int context);

// A communicator of our own for the processes of a grid, numbered along its rows. Made when it is first asked for,
// which all of them do together, and gone with the context. MPI_COMM_NULL where the BLACS have none of exactly the
// grid.
MPI_Comm grid_communicator(int context, const GridPlace& place);

} // namespace cyclotron::mpi::scalapack
