// SPDX-License-Identifier: MIT
// Who has what in a block-cyclic matrix, by ScaLAPACK's arithmetic; and a part of such a matrix seen as a matrix of its
// own: from an offset that need not be the start of a block, transposed, or backwards. Indices count from 0.
#pragma once

#include "backend/mpi/scalapack/rectangle.hpp"

#include <vector>

namespace cyclotron::mpi::scalapack {

// Neighbours along one dimension of a view that are neighbours in the memory of their process.
struct Run {
  long at;    // of the first, in the view
  long local; // and in the memory of its process
  long length;
};

// One dimension of a view: the global indices first, first + 1, ... (backwards: the last of them comes first), in
// blocks dealt out in turn to `processes`, beginning with `source`.
struct Axis {
  long first, extent;
  int block, source, processes;
  bool backwards = false;

  long step() const { return backwards ? -1 : 1; } // from one element of a run to the next, in memory

  Axis part(long begin, long end) const;

  // What `process` has of [begin, end), in order.
  std::vector<Run> runs(long begin, long end, int process) const;
};

// Of `count` indices from 0 on, those that `process` has (ScaLAPACK's numroc).
long share_of(long count, int block, int process, int source, int processes);

// The place that a global index has in the memory of the process that owns it (indxg2l), and that process (indxg2p).
long local_index(long index, int block, int processes);
int owner_of(long index, int block, int source, int processes);

// Where this process stands.
struct GridPlace {
  int rows, columns; // of the grid
  int row, column;   // of this process
};

// A part of a block-cyclic matrix as the process of `place` sees it.
struct CyclicView {
  Axis rows, columns;
  bool transposed; // the rows of the view are spread over the columns of the grid
  GridPlace place;
  Strided<double> local; // this process's part of the whole matrix

  int row_process() const { return transposed ? place.column : place.row; }
  int column_process() const { return transposed ? place.row : place.column; }
  // Where two runs of this process cross, backwards where the view is.
  Strided<double> in_memory(const Run& row, const Run& column) const;
  int rank(int row_process, int column_process) const; // processes are numbered along the rows of the grid

  CyclicView part(long first_row, long end_row, long first_column, long end_column) const;
  CyclicView transpose() const;
  CyclicView reversed_rows() const;
  CyclicView reversed_columns() const;
};

} // namespace cyclotron::mpi::scalapack
