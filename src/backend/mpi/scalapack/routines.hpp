// SPDX-License-Identifier: MIT
// ScaLAPACK's pdgemm, pdtrsm and pdpotrf over an engine: arguments are checked and refused as ScaLAPACK does, operands
// go to the engine's tiles and results come back. On a grid of one process BLAS and LAPACK work in place.
#pragma once

#include "backend/mpi/scalapack/engine.hpp"

#include <functional>
#include <memory>

namespace cyclotron::mpi::scalapack {

// Asked only for when there is something to compute on more than one process.
using EngineOf = std::function<std::shared_ptr<Engine>(MPI_Comm)>;

// A distributed submatrix as ScaLAPACK's routines take it; row and column count from 1.
template <class Value> struct Argument {
  Value* data;
  int row, column;
  const int* descriptor;
};
using In = Argument<const double>;
using InOut = Argument<double>;

void pdgemm(char transa, char transb, int m, int n, int k, double alpha, In a, In b, double beta, InOut c,
            const EngineOf& engine);
void pdtrsm(char side, char uplo, char trans, char diag, int m, int n, double alpha, In a, InOut b,
            const EngineOf& engine);
int pdpotrf(char uplo, int n, InOut a, const EngineOf& engine); // INFO

} // namespace cyclotron::mpi::scalapack
