// SPDX-License-Identifier: MIT
// The BLAS and LAPACK functions that we call, by their Fortran names: every library has these, whoever made it.
//
// Matrices are column-major there, so a row-major buffer is read as the transposed matrix; callers allow for that. The
// last arguments are the lengths of the texts, which Fortran compilers pass unseen.
#pragma once

#include <cstddef>
#include <limits>

namespace cyclotron::mpi {

using BlasInt = int;
constexpr long long largest_blas_extent = std::numeric_limits<BlasInt>::max();

extern "C" {
// C = alpha op(A) op(B) + beta C
void dgemm_(const char* op_a, const char* op_b, const BlasInt* m, const BlasInt* n, const BlasInt* k,
            const double* alpha, const double* a, const BlasInt* lda, const double* b, const BlasInt* ldb,
            const double* beta, double* c, const BlasInt* ldc, std::size_t, std::size_t);
// y = alpha op(A) x + beta y
void dgemv_(const char* op, const BlasInt* m, const BlasInt* n, const double* alpha, const double* a,
            const BlasInt* lda, const double* x, const BlasInt* incx, const double* beta, double* y,
            const BlasInt* incy, std::size_t);
// The `part` of C = alpha A Aᵀ + beta C, or of Aᵀ A with op T
void dsyrk_(const char* part, const char* op, const BlasInt* n, const BlasInt* k, const double* alpha, const double* a,
            const BlasInt* lda, const double* beta, double* c, const BlasInt* ldc, std::size_t, std::size_t);
// B = alpha op(A)⁻¹ B, or B op(A)⁻¹ with side R
void dtrsm_(const char* side, const char* part, const char* op, const char* diagonal, const BlasInt* m,
            const BlasInt* n, const double* alpha, const double* a, const BlasInt* lda, double* b, const BlasInt* ldb,
            std::size_t, std::size_t, std::size_t, std::size_t);
// x = op(A)⁻¹ x
void dtrsv_(const char* part, const char* op, const char* diagonal, const BlasInt* n, const double* a,
            const BlasInt* lda, double* x, const BlasInt* incx, std::size_t, std::size_t, std::size_t);
// The Cholesky factor of A in its place; `info` is the number of the first pivot that is not positive, or 0
void dpotrf_(const char* part, const BlasInt* n, double* a, const BlasInt* lda, BlasInt* info, std::size_t);
}

} // namespace cyclotron::mpi
