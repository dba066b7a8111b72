// SPDX-License-Identifier: MIT
#include "residual.hpp"

#include <cmath>
#include <limits>

#include <mpi.h>

namespace cyclotron::bench {

namespace {

using Vector = std::vector<double>;
using Element = double (Problem::*)(long, long) const;

Vector probe(long size) {
  Vector x(static_cast<std::size_t>(size));
  for (long i = 0; i < size; ++i) x[static_cast<std::size_t>(i)] = 1.0 + 0.5 * std::sin(static_cast<double>(i));
  return x;
}

void sum_over_ranks(Vector& y) {
  MPI_Allreduce(MPI_IN_PLACE, y.data(), static_cast<int>(y.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

enum class Part { all, lower };

// An input times a vector; the ranks share its rows.
Vector input_times(const Problem& problem, Element element, long rows, const Vector& x, Part part) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Vector y(static_cast<std::size_t>(rows));
  for (long i = rank; i < rows; i += ranks) {
    const long end = part == Part::lower ? i + 1 : static_cast<long>(x.size());
    double sum = 0;
    for (long j = 0; j < end; ++j) sum += (problem.*element)(i, j) * x[static_cast<std::size_t>(j)];
    y[static_cast<std::size_t>(i)] = sum;
  }
  sum_over_ranks(y);
  return y;
}

// The result, or its transpose, times a vector.
Vector result_times(const std::vector<Block>& blocks, long rows, const Vector& x, Part part, bool transposed) {
  Vector y(static_cast<std::size_t>(rows));
  for (const Block& block : blocks)
    for (long c = 0; c < block.columns; ++c)
      for (long r = 0; r < block.rows; ++r) {
        const long i = block.row + r, j = block.column + c;
        if (part == Part::lower && i < j) continue;
        const double value = block.data[r * block.row_stride + c * block.column_stride];
        if (transposed) y[static_cast<std::size_t>(j)] += value * x[static_cast<std::size_t>(i)];
        else y[static_cast<std::size_t>(i)] += value * x[static_cast<std::size_t>(j)];
      }
  sum_over_ranks(y);
  return y;
}

double relative_distance(const Vector& left, const Vector& right) {
  double distance = 0, length = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    distance += (left[i] - right[i]) * (left[i] - right[i]);
    length += right[i] * right[i];
  }
  const double relative = std::sqrt(distance / length);
  return std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity();
}

} // namespace

double relative_residual(const Problem& problem, const std::vector<Block>& result) {
  const Vector x = probe(problem.result_columns());
  switch (problem.operation) {
  case Operation::gemm: {
    const Vector bx = input_times(problem, &Problem::b, problem.k, x, Part::all);
    return relative_distance(result_times(result, problem.m, x, Part::all, false),
                             input_times(problem, &Problem::a, problem.m, bx, Part::all));
  }
  case Operation::trsm: {
    const Vector solution = result_times(result, problem.m, x, Part::all, false);
    return relative_distance(input_times(problem, &Problem::a, problem.m, solution, Part::lower),
                             input_times(problem, &Problem::b, problem.m, x, Part::all));
  }
  case Operation::potrf: {
    const Vector upper = result_times(result, problem.m, x, Part::lower, true);
    return relative_distance(result_times(result, problem.m, upper, Part::lower, false),
                             input_times(problem, &Problem::a, problem.m, x, Part::all));
  }
  }
  return std::numeric_limits<double>::infinity();
}

} // namespace cyclotron::bench
