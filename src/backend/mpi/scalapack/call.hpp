// SPDX-License-Identifier: MIT
// What the routines have in common: from arguments as they are passed to operands that are legal, the same on all
// ranks, and on a grid that we can talk on.
#pragma once

#include "backend/mpi/scalapack/descriptors.hpp"
#include "backend/mpi/scalapack/routines.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace cyclotron::mpi::scalapack {

char upper(char letter);

// An option such as TRANSA: where it stands among the arguments, and what it may be in upper case. Only whether it is
// the first of these makes a difference for real numbers.
struct Option {
  char letter;
  int position;
  const char* legal;

  bool is_legal() const;
  bool is_first() const { return upper(letter) == legal[0]; }
};

using Number = std::pair<double, int>; // ALPHA or BETA, and its position

struct Caller {
  GridPlace place;
  MPI_Comm communicator;

  int rank() const { return place.row * place.columns + place.column; }
  bool alone() const { return place.rows * place.columns == 1; }
};

// Checks a call of the PBLAS: illegal arguments end the job, as there; so do those that differ between ranks, which
// would otherwise wait for each other. `names` are those of all parameters.
std::optional<Caller> accept(const char* routine, const char* const* names, const std::vector<Option>& options,
                             const std::vector<Number>& numbers, const std::vector<Operand>& operands);

template <class Value>
Operand operand_of(const Argument<Value>& argument, Extent rows, Extent columns, int descriptor_position) {
  return {rows, columns, argument.row, argument.column, Descriptor::of(argument.descriptor), descriptor_position};
}

// The first element of a submatrix on a grid of one process.
template <class Value> Value* in_place(const Argument<Value>& argument) {
  return argument.data + (argument.row - 1) + static_cast<long>(argument.column - 1) * argument.descriptor[8];
}

// view = beta * view, on this process; 0 even where it held a NaN if beta is 0.
void scale(const CyclicView& view, double beta);

// view = value, on this process.
void fill(const CyclicView& view, double value);

// Calls `body` with the elements on the diagonal that this rank has, and their number from 0 on.
template <class Body> void each_on_diagonal(const Tiles& tiles, const Caller& caller, Body body) {
  for (long i = 0; i < tiles.rows;) {
    const long row = i / tiles.tile_rows, column = i / tiles.tile_columns;
    const long first_row = row * tiles.tile_rows, first_column = column * tiles.tile_columns;
    const long end = std::min({first_row + tiles.tile_rows, first_column + tiles.tile_columns, tiles.rows});
    if (tiles.owner(row, column) == caller.rank()) {
      const long width = std::min(tiles.tile_columns, tiles.columns - first_column);
      double* tile = tiles.data(row, column);
      for (long d = i; d < end; ++d) body(tile[(d - first_row) * width + d - first_column], d);
    }
    i = end;
  }
}

// The first element on the diagonal for which `is_bad`, counted from 1, on all ranks; 0: none.
int first_on_diagonal(const Tiles& tiles, const Caller& caller, bool (*is_bad)(double));

} // namespace cyclotron::mpi::scalapack
