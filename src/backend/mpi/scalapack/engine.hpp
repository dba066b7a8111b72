// SPDX-License-Identifier: MIT
// What computes behind ScaLAPACK's interface. A job says in which tiles, on which ranks, it wants its operands; they
// are brought there, it runs, and its results are taken away. Transposes, sides, triangles, alpha and beta are all
// dealt with on the way to and from the tiles, so that there is one job per operation.
#pragma once

#include "backend/mpi/scalapack/redistribute.hpp"

#include <memory>

namespace cyclotron::mpi {

// All functions are called by all ranks of the communicator that the engine was made for.
class Job {
public:
  virtual ~Job() = default;
  virtual Tiles tiles(int operand) = 0; // valid as long as the job
  virtual int run() = 0;                // 0, or what the operation says below
};

class Engine {
public:
  virtual ~Engine() = default;

  // Operand 2 = operand 0 * operand 1: m x n = m x k * k x n.
  virtual std::unique_ptr<Job> multiply(long m, long n, long k) = 0;

  // X with operand 0 * X = operand 1, which it overwrites; operand 0 is m x m, lower triangular, operand 1 is m x n.
  // Tiles of operand 0 above the diagonal are not filled.
  virtual std::unique_ptr<Job> solve(long m, long n) = 0;

  // L with L L' = operand 0, which it overwrites; m x m, symmetric, only tiles on and under the diagonal are filled, 0
  // above it. Runs to the order of the first leading minor that is not positive, and 0 if all are.
  virtual std::unique_ptr<Job> factor(long m) = 0;
};

} // namespace cyclotron::mpi
