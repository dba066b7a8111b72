// SPDX-License-Identifier: MIT
// What the checks under mpirun share: random numbers that are the same on all ranks, BLACS grids of any form, and
// block-cyclic matrices whose layout is found by dealing out indices one by one.
#pragma once

#include "backend/mpi/scalapack/cyclic.hpp"
#include "world.hpp"

#include <functional>
#include <random>
#include <vector>

#include <mpi.h>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridexit(int context);
void Cblacs_gridmap(int* context, int* ranks, int leading, int rows, int columns);
void Cblacs_pinfo(int* rank, int* ranks);
}

namespace cyclotron::mpi::scalapack {

// The same sequence on all ranks.
class Dice {
public:
  explicit Dice(unsigned seed) : generator(seed) {}
  int between(int least, int most) { return std::uniform_int_distribution<int>(least, most)(generator); }
  bool coin() { return between(0, 1) == 1; }
  template <class Value> Value one_of(std::vector<Value> values) {
    return values[static_cast<std::size_t>(between(0, static_cast<int>(values.size()) - 1))];
  }

private:
  std::mt19937 generator;
};

// Some or all ranks in a rectangle, in an order that only the BLACS know.
class RandomGrid {
public:
  explicit RandomGrid(Dice& dice);
  ~RandomGrid();
  RandomGrid(const RandomGrid&) = delete;
  RandomGrid& operator=(const RandomGrid&) = delete;

  bool has_me() const { return place.rows > 0; }

  int context = -1;
  GridPlace place{-1, -1, -1, -1};
  MPI_Comm communicator = MPI_COMM_NULL;
};

// A number of its own for every element of every matrix.
double element(int matrix, long row, long column);

// This process's part of a block-cyclic matrix.
struct Dealt {
  Dealt(const RandomGrid& grid, Dice& dice, int rows, int columns, bool square_blocks = false);

  // Elements of [row, row + rows) x [column, column + columns) get values, all others (the gaps between columns, too)
  // stay.
  void fill(const std::function<double(long, long)>& value);

  std::vector<int> descriptor;
  std::vector<long> global_rows, global_columns; // per local row and column
  std::vector<double> values;

  double& at(std::size_t local_row, std::size_t local_column) {
    return values[local_row + local_column * static_cast<std::size_t>(descriptor[8])];
  }
};

} // namespace cyclotron::mpi::scalapack
