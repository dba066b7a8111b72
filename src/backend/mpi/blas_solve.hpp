// SPDX-License-Identifier: MIT
// Solves with a triangular matrix and many right sides. The BLAS has them too, but at the sizes of tiles it does half
// of what it does for products; so all but the smallest blocks on the diagonal is made products of.
#pragma once

#include "backend/mpi/blas_interface.hpp"

namespace cyclotron::mpi {

// Letters as a row-major reader says them: side L: op(T) X = B, side R: X op(T) = B; part L or U of T is read; op N or
// T; diagonal U: T has ones there, which are not read. B is m x n and becomes X. Nothing divides by zero.
struct Triangle {
  char side, part, op, diagonal;
  const double* values;
  BlasInt row; // from row to row
};
void solve_triangular(const Triangle& triangle, BlasInt m, BlasInt n, double* b, BlasInt row_b);

} // namespace cyclotron::mpi
