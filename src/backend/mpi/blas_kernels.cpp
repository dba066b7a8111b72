// SPDX-License-Identifier: MIT
// Our matrices are row-major, which the BLAS reads as transposed: C = A B is asked for as Cᵀ = Bᵀ Aᵀ, a lower triangle
// is called upper, and left is right. Nothing is copied for that.
#include "backend/mpi/blas_kernels.hpp"

#include "backend/mpi/blas_factors.hpp"
#include "backend/mpi/blas_solve.hpp"
#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cyclotron::mpi {

using recurrence::Failure;

const std::int64_t largest_tile_extent = largest_blas_extent;

namespace {

using Dims = const std::int64_t*;

constexpr double one = 1, zero = 0;
constexpr BlasInt next = 1; // from one element of a vector to the next

BlasInt blas_int(std::int64_t extent) {
  if (extent > largest_tile_extent) bug(fmt::format("a tile with an extent of {} was given to the BLAS", extent));
  return static_cast<BlasInt>(extent);
}

// From row to row; the BLAS wants at least 1 even where there are no rows.
BlasInt row(BlasInt extent) { return std::max<BlasInt>(extent, 1); }

std::int64_t size_of(Dims dims, int rank) {
  std::int64_t size = 1;
  for (int d = 0; d < rank; ++d) size *= dims[d];
  return size;
}

// The part of an accumulation that does not depend on the kernel.
void scale(double* to, std::int64_t size, double beta) {
  if (beta == 0) std::fill_n(to, size, 0.0);
  else if (beta != 1) std::for_each(to, to + size, [beta](double& value) { value *= beta; });
}

void only_plain(double alpha, double beta) {
  if (alpha != 1 || beta != 0) bug("a kernel that does not accumulate was asked to");
}

// Calls f(i, j) for all j < columns(i) of so many rows, in blocks: f reads or writes a matrix across its rows too, and
// every line of that is in the cache until the block is done.
template <class Columns, class F> void in_blocks(std::int64_t rows, Columns columns, F f) {
  constexpr std::int64_t edge = 8; // doubles in a cache line
  for (std::int64_t top = 0; top < rows; top += edge) {
    const std::int64_t bottom = std::min(rows, top + edge);
    for (std::int64_t left = 0; left < columns(bottom - 1); left += edge)
      for (std::int64_t i = top; i < bottom; ++i)
        for (std::int64_t j = left; j < std::min(left + edge, columns(i)); ++j) f(i, j);
  }
}

// A B, with the transposed of one of them as the letters say.
template <char op_a, char op_b>
Failure product(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  const BlasInt m = blas_int(dims[0]), n = blas_int(dims[1]), k = blas_int(given[0].dims[op_a == 'N' ? 1 : 0]);
  if (m == 0 || n == 0) return Failure::none;
  const BlasInt row_a = row(op_a == 'N' ? k : m), row_b = row(op_b == 'N' ? n : k);
  const char first = op_b, second = op_a;
  dgemm_(&first, &second, &n, &m, &k, &alpha, given[1].values, &row_b, given[0].values, &row_a, &beta, to, &n, 1, 1);
  return Failure::none;
}

template <char op> Failure product_with_vector(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  scale(to, dims[0], beta); // here, since the BLAS leaves it out where A has no columns
  const BlasInt rows = blas_int(given[0].dims[0]), columns = blas_int(given[0].dims[1]);
  if (rows == 0 || columns == 0) return Failure::none;
  const char as_stored = op == 'N' ? 'T' : 'N';
  dgemv_(&as_stored, &columns, &rows, &alpha, given[0].values, &columns, given[1].values, &next, &one, to, &next, 1);
  return Failure::none;
}

Failure product_of_vectors(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  for (std::int64_t i = 0; i < dims[0]; ++i) {
    double* target = to + i * dims[1];
    const double factor = alpha * given[0].values[i];
    if (beta == 0)
      for (std::int64_t j = 0; j < dims[1]; ++j) target[j] = factor * given[1].values[j];
    else
      for (std::int64_t j = 0; j < dims[1]; ++j) target[j] = beta * target[j] + factor * given[1].values[j];
  }
  return Failure::none;
}

// A Aᵀ, both halves. One half is computed, beside `to` where that need not be symmetric, and then put into both: half
// the work of a product.
Failure product_with_itself(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  const BlasInt m = blas_int(dims[0]), k = blas_int(given[0].dims[1]), row_a = row(k);
  if (m == 0) return Failure::none;
  thread_local std::vector<double> beside;
  if (beta != 0) beside.resize(static_cast<std::size_t>(size_of(dims, 2)));
  double* half = beta == 0 ? to : beside.data();
  dsyrk_("U", "T", &m, &k, &alpha, given[0].values, &row_a, &zero, half, &m, 1, 1);
  const std::int64_t n = m;
  if (beta == 0)
    in_blocks(
        n, [](std::int64_t i) { return i; }, [&](std::int64_t i, std::int64_t j) { to[j * n + i] = to[i * n + j]; });
  else
    in_blocks(
        n, [](std::int64_t i) { return i + 1; },
        [&](std::int64_t i, std::int64_t j) {
          to[i * n + j] = beta * to[i * n + j] + half[i * n + j];
          if (i != j) to[j * n + i] = beta * to[j * n + i] + half[i * n + j];
        });
  return Failure::none;
}

Failure transposed(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  const std::int64_t rows = dims[0], columns = dims[1];
  const double* a = given[0].values;
  const auto all = [&](std::int64_t) { return columns; };
  if (beta == 0)
    in_blocks(rows, all, [&](std::int64_t i, std::int64_t j) { to[i * columns + j] = alpha * a[j * rows + i]; });
  else
    in_blocks(rows, all, [&](std::int64_t i, std::int64_t j) {
      to[i * columns + j] = beta * to[i * columns + j] + alpha * a[j * rows + i];
    });
  return Failure::none;
}

void copy_to(double* to, const Operand& from, int rank) {
  if (to != from.values) std::copy_n(from.values, size_of(from.dims, rank), to);
}

bool has_zero_pivot(const Operand& triangle) {
  for (std::int64_t i = 0; i < triangle.dims[0]; ++i)
    if (triangle.values[i * triangle.dims[0] + i] == 0) return true;
  return false;
}

// Solves with many right sides. Letters as a row-major reader says them: the triangle's side, its part, its operator,
// and whether its diagonal counts.
template <char side, char part, char op, char diagonal>
Failure solve(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  only_plain(alpha, beta);
  copy_to(to, given[1], 2);
  const BlasInt m = blas_int(dims[0]), n = blas_int(dims[1]), size = blas_int(given[0].dims[0]);
  if (m == 0 || n == 0) return Failure::none;
  if (diagonal == 'N' && has_zero_pivot(given[0])) return Failure::divides_by_zero;
  solve_triangular({side, part, op, diagonal, given[0].values, size}, m, n, to, n);
  return Failure::none;
}

template <char part, char diagonal>
Failure solve_vector(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  only_plain(alpha, beta);
  copy_to(to, given[1], 1);
  const BlasInt size = blas_int(dims[0]);
  if (size == 0) return Failure::none;
  if (diagonal == 'N' && has_zero_pivot(given[0])) return Failure::divides_by_zero;
  const char as_part = part == 'L' ? 'U' : 'L', as_diagonal = diagonal;
  dtrsv_(&as_part, "T", &as_diagonal, &size, given[0].values, &size, to, &next, 1, 1, 1);
  return Failure::none;
}

Failure cholesky(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  only_plain(alpha, beta);
  copy_to(to, given[0], 2);
  return factor_cholesky(to, blas_int(dims[0]));
}

enum class Factors { both, lower, upper };

template <Factors wanted> Failure lu(const Operand* given, double alpha, double beta, double* to, Dims dims) {
  only_plain(alpha, beta);
  copy_to(to, given[0], 2);
  const BlasInt n = blas_int(dims[0]);
  const Failure failure = factor_lu(to, n);
  for (std::int64_t i = 0; i < n; ++i) {
    double *start = to + i * n, *diagonal = start + i;
    if (wanted == Factors::upper) std::fill(start, diagonal, 0.0);
    if (wanted == Factors::lower) std::fill(diagonal, start + n, 0.0), *diagonal = 1;
  }
  return failure;
}

constexpr BlasKernel kernels[] = {
    {"GEMM", true, -1, product<'N', 'N'>},
    {"GEMM_NT", true, -1, product<'N', 'T'>},
    {"GEMM_TN", true, -1, product<'T', 'N'>},
    {"GEMV", true, -1, product_with_vector<'N'>},
    {"GEMV_T", true, -1, product_with_vector<'T'>},
    {"GER", true, -1, product_of_vectors},
    {"SYRK", true, -1, product_with_itself},
    {"TRSM", false, 1, solve<'L', 'L', 'N', 'N'>},
    {"TRSM_LLU", false, 1, solve<'L', 'L', 'N', 'U'>},
    {"TRSM_LLT", false, 1, solve<'L', 'L', 'T', 'N'>},
    {"TRSM_LUN", false, 1, solve<'L', 'U', 'N', 'N'>},
    {"TRSM_RLN", false, 1, solve<'R', 'L', 'N', 'N'>},
    {"TRSM_RLT", false, 1, solve<'R', 'L', 'T', 'N'>},
    {"TRSM_RUN", false, 1, solve<'R', 'U', 'N', 'N'>},
    {"TRSV", false, 1, solve_vector<'L', 'N'>},
    {"TRSV_LU", false, 1, solve_vector<'L', 'U'>},
    {"TRSV_UN", false, 1, solve_vector<'U', 'N'>},
    {"POTRF", false, 0, cholesky},
    {"GETRF", false, 0, lu<Factors::both>},
    {"GETRF_L", false, 0, lu<Factors::lower>},
    {"GETRF_U", false, 0, lu<Factors::upper>},
    {"TRANSPOSE", true, -1, transposed},
};

} // namespace

const BlasKernel* blas_kernel(std::string_view kernel_name) {
  const auto found = std::find_if(std::begin(kernels), std::end(kernels),
                                  [&](const BlasKernel& kernel) { return kernel.name == kernel_name; });
  return found == std::end(kernels) ? nullptr : found;
}

} // namespace cyclotron::mpi
