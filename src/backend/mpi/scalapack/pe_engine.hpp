// SPDX-License-Identifier: MIT
// The engine that runs `.pe` programs on the ranks: their tensors are the tiles.
#pragma once

#include "backend/mpi/context.hpp"
#include "backend/mpi/scalapack/engine.hpp"
#include "pe/ir.hpp"

#include <functional>

namespace cyclotron::mpi::scalapack {

// The program for a shape, the same on all ranks, which ask for it together: its inputs in the order of the
// operation's, and one output, all of them matrices of tiles. Throws std::runtime_error where there is none.
using ProgramOf = std::function<pe::Program(const Shape&, Context&)>;

std::unique_ptr<Engine> pe_engine(MPI_Comm communicator, ProgramOf program_of);

} // namespace cyclotron::mpi::scalapack
