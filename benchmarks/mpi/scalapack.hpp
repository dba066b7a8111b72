// SPDX-License-Identifier: MIT
// ScaLAPACK as a contestant, and our library behind its interface: block-cyclic matrices on a BLACS grid, filled in
// place by their owners.
#pragma once

#include "contest.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace cyclotron::bench {

// A grid of all ranks, row-major; gone with the object.
class BlacsGrid {
public:
  BlacsGrid(int rows, int columns);
  ~BlacsGrid();
  BlacsGrid(const BlacsGrid&) = delete;
  BlacsGrid& operator=(const BlacsGrid&) = delete;

  int context, rows, columns, row, column;
};

// This rank's part of a matrix, in column-major order, and the descriptor that says so.
class CyclicMatrix {
public:
  CyclicMatrix(const BlacsGrid&, long rows, long columns, int block);

  void fill(const std::function<double(long, long)>& element);
  std::vector<Block> blocks() const;
  double* data() { return local.data(); }
  const int* descriptor() const { return array_descriptor; }

private:
  int block, grid_row, grid_column, grid_rows, grid_columns;
  int local_rows, local_columns;
  int array_descriptor[9];
  std::vector<double> local;
};

// How all matrices of a call lie.
struct CyclicLayout {
  int grid_rows, grid_columns, block;
};

// pdgemm, pdtrsm (left, lower, not transposed, a diagonal that is not 1) or pdpotrf (lower).
Contestant scalapack(const Problem&, const CyclicLayout&);

// cyclotron_pdgemm and so on, which take the same: matrices go to our tiles and results come back within the time.
Contestant same_interface(const Problem&, const CyclicLayout&);

// Where ScaLAPACK is fastest, of all grids of all ranks with each of the block sizes.
CyclicLayout fastest_layout(const Problem&, int ranks, const std::vector<int>& blocks);

} // namespace cyclotron::bench
