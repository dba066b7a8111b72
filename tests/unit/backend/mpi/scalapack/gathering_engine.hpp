// SPDX-License-Identifier: MIT
// An engine for checks of what surrounds an engine: tiles of odd extents on scattered ranks, every rank gathers all of
// them and computes everything with BLAS and LAPACK.
#pragma once

#include "backend/mpi/scalapack/engine.hpp"

namespace cyclotron::mpi::scalapack {

std::shared_ptr<Engine> gathering_engine(MPI_Comm communicator);

} // namespace cyclotron::mpi::scalapack
