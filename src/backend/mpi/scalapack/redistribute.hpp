// SPDX-License-Identifier: MIT
// Between block-cyclic matrices and matrices of tiles that belong to ranks in any way: each pair of ranks exchanges at
// most one packed message, whose length both know without asking. What stays on a rank is copied once, without MPI.
#pragma once

#include "backend/mpi/scalapack/cyclic.hpp"

#include <functional>

#include <mpi.h>

namespace cyclotron::mpi::scalapack {

// A matrix cut into tiles, row-major and dense; those at the end may be smaller.
struct Tiles {
  long rows, columns;
  long tile_rows, tile_columns;
  std::function<int(long i, long j)> owner;    // the rank that has tile (i, j); the same answer on all ranks
  std::function<double*(long i, long j)> data; // of a tile of this rank

  long row_count() const { return (rows + tile_rows - 1) / tile_rows; } // of tiles
  long column_count() const { return (columns + tile_columns - 1) / tile_columns; }
};

// Which elements are meant: all, or those on and under the diagonal. Tiles wholly above it are not touched.
enum class Part { all, lower };

// Both are called by all ranks of `communicator`, whose ranks are numbered as the view numbers its processes.

// tiles = alpha * view; of Part::lower what lies above the diagonal in a tile becomes 0, and is not read.
void to_tiles(const CyclicView& from, const Tiles& to, Part part, double alpha, MPI_Comm communicator);

// view = alpha * tiles + beta * view; of Part::lower what lies above the diagonal stays as it is.
void from_tiles(const Tiles& from, const CyclicView& to, Part part, double alpha, double beta, MPI_Comm communicator);

} // namespace cyclotron::mpi::scalapack
