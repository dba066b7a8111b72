// SPDX-License-Identifier: MIT
// What computes behind ScaLAPACK's interface. A computation says in which tiles, on which ranks, it wants its inputs;
// they are brought there, it runs, and its result is taken away. Transposes, sides, triangles, alpha and beta are all
// dealt with on the way to and from the tiles, so that there are only three computations.
#pragma once

#include "backend/mpi/scalapack/redistribute.hpp"

#include <compare>
#include <memory>

namespace cyclotron::mpi::scalapack {

enum class Operation {
  multiply, // result = input 0 * input 1: m x n = m x k * k x n
  solve,    // input 0 * result = input 1: input 0 is m x m and lower triangular, nothing is filled in above its tiles
  factor,   // result * result' = input 0: m x m; of both only the tiles on and under the diagonal count
};

struct Shape {
  Operation operation;
  long m, n, k;
  auto operator<=>(const Shape&) const = default;
};

// All functions are called by all ranks of the communicator that the engine is for.
class Computation {
public:
  virtual ~Computation() = default;
  virtual Tiles input(int number) = 0;
  virtual bool run() = 0;     // false where a factor does not exist; throws std::runtime_error where it cannot run
  virtual Tiles result() = 0; // after a run
};

class Engine {
public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Computation> prepare(const Shape& shape) = 0;
};

} // namespace cyclotron::mpi::scalapack
