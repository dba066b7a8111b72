// SPDX-License-Identifier: MIT
// ScaLAPACK's array descriptors and what makes arguments illegal. An error is told as ScaLAPACK tells it: -i for the
// i-th argument, -(100 i + j) for the j-th entry of a descriptor, the smallest i of all that are wrong.
#pragma once

#include "backend/mpi/scalapack/cyclic.hpp"

#include <vector>

#include <mpi.h>

namespace cyclotron::mpi::scalapack {

// Nine integers; the entries count from 1 where errors name them.
struct Descriptor {
  int type, context, rows, columns, row_block, column_block, row_source, column_source, leading;

  static Descriptor of(const int* entries);
};

// An argument such as M, and its position among all.
struct Extent {
  int value, position;
};

// An operand as it is passed: rows x columns elements from (row, column) on, which count from 1.
struct Operand {
  Extent rows, columns;
  int row, column;
  Descriptor descriptor;
  int descriptor_position; // row and column stand before it

  CyclicView view(const double* data, const GridPlace& place) const; // of a legal operand
};

constexpr int context_entry = 2; // of a descriptor

// The smallest error so far.
class ArgumentErrors {
public:
  void argument(int position) { note(position * 100); }
  void entry(int position, int entry) { note(position * 100 + entry); }
  bool any() const { return smallest != none; }
  int info() const; // 0, or as above

  // The smallest of all ranks; differences between ranks in values that must be equal are errors too.
  struct Shared {
    int value;
    int code; // 100 * position + entry
  };
  void agree(const std::vector<Shared>& values, MPI_Comm communicator);

private:
  static constexpr int none = 1 << 30;
  void note(int code) {
    if (code < smallest) smallest = code;
  }
  int smallest = none;
};

// The two families check alike but name entries differently: the PBLAS count as if a descriptor had eleven (the first
// blocks have sizes of their own), and say where a submatrix leaves its matrix by its offset, not by its extent.
void check_pblas(const Operand& operand, int context, const GridPlace& place, ArgumentErrors& errors);
void check_scalapack(const Operand& operand, const GridPlace& place, ArgumentErrors& errors);

// What must be the same on all ranks of an operand: its extents, its offset, and its descriptor but for the leading
// extent.
void share(const Operand& operand, std::vector<ArgumentErrors::Shared>& values);

} // namespace cyclotron::mpi::scalapack
