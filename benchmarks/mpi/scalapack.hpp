// SPDX-License-Identifier: MIT
// ScaLAPACK as a contestant: block-cyclic matrices on a BLACS grid, filled in place by their owners.
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

// pdgemm, pdtrsm (left, lower, not transposed, a diagonal that is not 1) or pdpotrf (lower) on a grid with one block
// size.
Contestant scalapack(const Problem&, int grid_rows, int grid_columns, int block);

// Every grid of all ranks with each of the block sizes.
Contestant fastest_scalapack(const Problem&, int ranks, const std::vector<int>& blocks);

} // namespace cyclotron::bench
