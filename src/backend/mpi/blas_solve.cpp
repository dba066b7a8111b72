// SPDX-License-Identifier: MIT
#include "backend/mpi/blas_solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace cyclotron::mpi {

namespace {

// Blocks of this size are inverted: little enough that it costs nothing and loses no digits.
constexpr BlasInt smallest = 16;
using Block = std::array<double, static_cast<std::size_t>(smallest) * smallest>; // row-major

struct Matrix {
  const double* values;
  BlasInt row;
  char op; // N or T
};

// C = alpha op(A) op(B) + beta C, all row-major; C is m x n.
void product(BlasInt m, BlasInt n, BlasInt k, double alpha, const Matrix& a, const Matrix& b, double beta, double* c,
             BlasInt row_c) {
  dgemm_(&b.op, &a.op, &n, &m, &k, &alpha, b.values, &b.row, a.values, &a.row, &beta, c, &row_c, 1, 1);
}

const double* at(const double* matrix, BlasInt row, BlasInt i, BlasInt j) {
  return matrix + static_cast<std::int64_t>(i) * row + j;
}

// op(T) is lower triangular.
bool is_lower(const Triangle& t) { return (t.part == 'L') == (t.op == 'N'); }

Triangle corner(const Triangle& t, BlasInt first) {
  Triangle c = t;
  c.values = at(t.values, t.row, first, first);
  return c;
}

// The block of op(T) beside the diagonal: rows from `half` and columns up to it where op(T) is lower, else the other.
Matrix beside(const Triangle& t, BlasInt half) {
  const bool below = t.part == 'L';
  return {at(t.values, t.row, below ? half : 0, below ? 0 : half), t.row, t.op};
}

// The inverse of op(T), size x size; false where it has numbers that are too large.
bool invert(const Triangle& t, BlasInt size, Block& inverse) {
  // As a lower triangle: an upper one is the transposed of one.
  const bool flipped = !is_lower(t);
  const auto element = [&](BlasInt i, BlasInt j) {
    const bool swapped = flipped != (t.op == 'T');
    return swapped ? *at(t.values, t.row, j, i) : *at(t.values, t.row, i, j);
  };
  Block lower{};
  bool good = true;
  for (BlasInt i = 0; i < size; ++i) {
    const double pivot = t.diagonal == 'U' ? 1 : 1 / element(i, i);
    double* row = lower.data() + i * size;
    for (BlasInt k = 0; k < i; ++k) {
      const double factor = element(i, k);
      for (BlasInt j = 0; j <= k; ++j) row[j] += factor * lower[static_cast<std::size_t>(k * size + j)];
    }
    for (BlasInt j = 0; j < i; ++j) row[j] *= -pivot;
    row[i] = pivot;
    for (BlasInt j = 0; j <= i; ++j) good &= std::isfinite(row[j]);
  }
  for (BlasInt i = 0; i < size; ++i)
    for (BlasInt j = 0; j < size; ++j)
      inverse[static_cast<std::size_t>(i * size + j)] =
          lower[static_cast<std::size_t>(flipped ? j * size + i : i * size + j)];
  return good;
}

void solve_plainly(const Triangle& t, BlasInt m, BlasInt n, double* b, BlasInt row_b) {
  const char side = t.side == 'L' ? 'R' : 'L', part = t.part == 'L' ? 'U' : 'L';
  const double one = 1;
  dtrsm_(&side, &part, &t.op, &t.diagonal, &n, &m, &one, t.values, &t.row, b, &row_b, 1, 1, 1, 1);
}

void solve_smallest(const Triangle& t, BlasInt m, BlasInt n, double* b, BlasInt row_b) {
  const BlasInt size = t.side == 'L' ? m : n;
  Block inverse;
  if (!invert(t, size, inverse)) return solve_plainly(t, m, n, b, row_b);
  thread_local std::vector<double> right;
  right.resize(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  for (BlasInt i = 0; i < m; ++i) std::copy_n(at(b, row_b, i, 0), n, right.data() + static_cast<std::int64_t>(i) * n);
  const Matrix by{inverse.data(), size, 'N'}, from{right.data(), n, 'N'};
  if (t.side == 'L') product(m, n, m, 1, by, from, 0, b, row_b);
  else product(m, n, n, 1, from, by, 0, b, row_b);
}

} // namespace

void solve_triangular(const Triangle& t, BlasInt m, BlasInt n, double* b, BlasInt row_b) {
  const BlasInt size = t.side == 'L' ? m : n;
  if (m == 0 || n == 0) return;
  if (size <= smallest) return solve_smallest(t, m, n, b, row_b);
  const BlasInt half = (size / 2 + smallest - 1) / smallest * smallest, rest = size - half;
  const Triangle first = corner(t, 0), last = corner(t, half);
  const Matrix block = beside(t, half);
  double* second = b + (t.side == 'L' ? static_cast<std::int64_t>(half) * row_b : half);
  const bool forward = is_lower(t) == (t.side == 'L'); // what the first unknowns are is found first
  const auto solve_first = [&] {
    solve_triangular(first, t.side == 'L' ? half : m, t.side == 'L' ? n : half, b, row_b);
  };
  const auto solve_last = [&] {
    solve_triangular(last, t.side == 'L' ? rest : m, t.side == 'L' ? n : rest, second, row_b);
  };
  const Matrix known{forward ? b : second, row_b, 'N'};
  double* target = forward ? second : b;
  const BlasInt found = forward ? half : rest, left = forward ? rest : half;
  if (forward) solve_first();
  else solve_last();
  if (t.side == 'L') product(left, n, found, -1, block, known, 1, target, row_b);
  else product(m, left, found, -1, known, block, 1, target, row_b);
  if (forward) solve_last();
  else solve_first();
}

} // namespace cyclotron::mpi
