// SPDX-License-Identifier: MIT
#include "backend/mpi/blas_factors.hpp"

#include "backend/mpi/blas_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::mpi {

using recurrence::Failure;

namespace {

constexpr double one = 1, minus_one = -1;

// A square block of a larger row-major matrix.
struct Block {
  double* first;
  BlasInt size;
  BlasInt row; // distance from row to row: the extent of the whole matrix
  double* at(BlasInt i, BlasInt j) const { return first + static_cast<std::ptrdiff_t>(i) * row + j; }
};

// Below this extent loops beat calls.
constexpr BlasInt smallest_split = 24;

// The pivots of a block are divided by for the rows below, of which its last has none where `is_last`.
Failure factor_lu_by_loops(Block a, bool is_last) {
  for (BlasInt k = 0; k < a.size; ++k) {
    const double* pivot_row = a.at(k, 0);
    if (pivot_row[k] == 0 && !(is_last && k == a.size - 1)) return Failure::divides_by_zero;
    for (BlasInt i = k + 1; i < a.size; ++i) {
      double* target = a.at(i, 0);
      target[k] /= pivot_row[k];
      for (BlasInt j = k + 1; j < a.size; ++j) target[j] -= target[k] * pivot_row[j];
    }
  }
  return Failure::none;
}

// Halves, so that nearly all work is in products of large blocks.
Failure factor_lu(Block a, bool is_last) {
  if (a.size <= smallest_split) return factor_lu_by_loops(a, is_last);
  const BlasInt half = a.size / 2, rest = a.size - half;
  if (const Failure failure = factor_lu(Block{a.first, half, a.row}, false); failure != Failure::none) return failure;
  double *right = a.at(0, half), *below = a.at(half, 0), *corner = a.at(half, half);
  dtrsm_("R", "U", "N", "U", &rest, &half, &one, a.first, &a.row, right, &a.row, 1, 1, 1, 1); // L⁻¹ of what is right
  dtrsm_("L", "L", "N", "N", &half, &rest, &one, a.first, &a.row, below, &a.row, 1, 1, 1, 1); // U⁻¹ of what is below
  dgemm_("N", "N", &rest, &rest, &half, &minus_one, right, &a.row, below, &a.row, &one, corner, &a.row, 1, 1);
  return factor_lu(Block{corner, rest, a.row}, is_last);
}

// Up to this extent LAPACK's own is as good.
constexpr BlasInt smallest_cholesky_split = 128;

// The number of the first pivot that is not positive, counted from 1, or 0. Halves: LAPACK does the same, but with the
// triangular solves of the BLAS.
BlasInt factor_cholesky(Block a) {
  if (a.size <= smallest_cholesky_split) {
    BlasInt info = 0;
    dpotrf_("U", &a.size, a.first, &a.row, &info, 1); // our lower part is the upper one of the transposed matrix
    return info;
  }
  const BlasInt half = (a.size / 2 + 15) / 16 * 16, rest = a.size - half;
  if (const BlasInt info = factor_cholesky(Block{a.first, half, a.row}); info != 0) return info;
  double *below = a.at(half, 0), *corner = a.at(half, half);
  solve_triangular({'R', 'L', 'T', 'N', a.first, a.row}, rest, half, below, a.row);
  dsyrk_("U", "T", &rest, &half, &minus_one, below, &a.row, &one, corner, &a.row, 1, 1);
  const BlasInt info = factor_cholesky(Block{corner, rest, a.row});
  return info == 0 ? 0 : half + info;
}

// What to make of the first pivot that LAPACK does not take: it has put it where its root belongs, and stopped.
Failure finish_at(BlasInt at, Block a) {
  const double pivot = *a.at(at, at);
  if (pivot < 0) return Failure::root_of_negative;
  if (pivot == 0) return at + 1 < a.size ? Failure::divides_by_zero : Failure::none;
  for (BlasInt i = at; i < a.size; ++i)
    std::fill(a.at(i, i == at ? at : 0), a.at(i, i) + 1, std::numeric_limits<double>::quiet_NaN());
  return Failure::none;
}

} // namespace

Failure factor_lu(double* a, BlasInt n) { return factor_lu(Block{a, n, n}, true); }

Failure factor_cholesky(double* a, BlasInt n) {
  const Block whole{a, n, n};
  const BlasInt info = n > 0 ? factor_cholesky(whole) : 0;
  for (BlasInt i = 0; i < n; ++i) std::fill(whole.at(i, i) + 1, whole.at(i, n), 0.0);
  return info > 0 ? finish_at(info - 1, whole) : Failure::none;
}

} // namespace cyclotron::mpi
