// SPDX-License-Identifier: MIT
// What the three routines have in common: letters, the grid, arguments that all ranks must share.
#pragma once

#include "backend/mpi/scalapack/descriptors.hpp"
#include "backend/mpi/scalapack/routines.hpp"

#include <initializer_list>

namespace cyclotron::mpi {

// In upper case, as the routines compare them.
char upper(char letter);
bool is_one_of(char letter, std::initializer_list<char> letters); // `letter` in upper case

template <class Value>
Operand operand_of(const Argument<Value>& argument, int rows, int rows_position, int columns, int columns_position,
                   int descriptor_position) {
  return {rows,          columns,          argument.row,       argument.column, Descriptor::of(argument.descriptor),
          rows_position, columns_position, descriptor_position};
}

// A real number among the values that must be equal on all ranks.
void share(double number, int position, std::vector<ArgumentErrors::Shared>& values);

// The first element of a submatrix on a grid of one process.
template <class Value> Value* in_place(const Argument<Value>& argument) {
  return argument.data + (argument.row - 1) + static_cast<long>(argument.column - 1) * argument.descriptor[8];
}

// view = beta * view, on this process; 0 even where it held a NaN if beta is 0.
void scale(const CyclicView& view, double beta);

} // namespace cyclotron::mpi
