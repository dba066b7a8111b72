// SPDX-License-Identifier: MIT
// Factors of a square matrix in its own memory, row-major and without gaps.
#pragma once

#include "backend/mpi/blas_interface.hpp"
#include "recurrence/failures.hpp"

namespace cyclotron::mpi {

// The lower Cholesky factor; what is above the diagonal is not read and becomes 0.
recurrence::Failure factor_cholesky(double* a, BlasInt n);

// L and U of A = L U, without pivoting: U on and above the diagonal, L (unit diagonal not stored) below.
recurrence::Failure factor_lu(double* a, BlasInt n);

} // namespace cyclotron::mpi
