// SPDX-License-Identifier: MIT
// All sixteen kinds of triangular solve are one. From the right, X op(A) = B is op(A)' X' = B'. And an upper triangle,
// rows and columns counted backwards, is a lower one: with the rows of B and X counted backwards too, the equation is
// the same.
#include "backend/mpi/blas_interface.hpp"
#include "backend/mpi/scalapack/call.hpp"

#include <limits>

namespace cyclotron::mpi::scalapack {

namespace {

constexpr const char* names[] = {"SIDE", "UPLO", "TRANS", "DIAG", "M",  "N",  "ALPHA", "A",
                                 "IA",   "JA",   "DESCA", "B",    "IB", "JB", "DESCB"};

// x with matrix * x = alpha * unknown, which it overwrites. As in BLAS it is no error to divide by a zero on the
// diagonal: from there on, nothing in x is a number.
void solve(const CyclicView& matrix, const CyclicView& unknown, double alpha, bool ones, Engine& engine,
           const Caller& caller) {
  const long m = unknown.rows.extent, n = unknown.columns.extent;
  const auto solution = engine.prepare({Operation::solve, m, n, 0});
  to_tiles(matrix, solution->input(0), Part::lower, 1, caller.communicator);
  if (ones) each_on_diagonal(solution->input(0), caller, [](double& value, long) { value = 1; });
  const int zero = first_on_diagonal(solution->input(0), caller, [](double value) { return value == 0; });
  if (zero > 0) {
    const long rows = zero - 1; // can be solved
    if (rows > 0) solve(matrix.part(0, rows, 0, rows), unknown.part(0, rows, 0, n), alpha, false, engine, caller);
    return fill(unknown.part(rows, m, 0, n), std::numeric_limits<double>::quiet_NaN());
  }
  to_tiles(unknown, solution->input(1), Part::all, alpha, caller.communicator);
  solution->run();
  from_tiles(solution->result(), unknown, Part::all, 1, 0, caller.communicator);
}

} // namespace

void pdtrsm(char side, char uplo, char trans, char diag, int m, int n, double alpha, In a, InOut b,
            const EngineOf& engine) {
  const std::vector<Option> options{{side, 1, "LR"}, {uplo, 2, "LU"}, {trans, 3, "NTC"}, {diag, 4, "NU"}};
  const bool left = options[0].is_first(), lower = options[1].is_first(), plain = options[2].is_first();
  const bool ones = !options[3].is_first();
  const Extent m_at{m, 5}, n_at{n, 6}, of_triangle = left ? m_at : n_at;
  const Operand triangle = operand_of(a, of_triangle, of_triangle, 11), right_side = operand_of(b, m_at, n_at, 15);
  const auto caller = accept("PDTRSM", names, options, {{alpha, 7}}, {triangle, right_side});
  if (!caller || m == 0 || n == 0) return;

  CyclicView unknown = right_side.view(b.data, caller->place);
  if (alpha == 0) return scale(unknown, 0);
  if (caller->alone())
    return dtrsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, in_place(a), &a.descriptor[8], in_place(b),
                  &b.descriptor[8], 1, 1, 1, 1);
  CyclicView matrix = triangle.view(a.data, caller->place);
  if (!left) unknown = unknown.transpose();
  const bool transposed = left != plain; // what stands before the unknown is A, or its transpose
  if (transposed) matrix = matrix.transpose();
  if (lower == transposed) { // and that is an upper triangle
    matrix = matrix.reversed_rows().reversed_columns();
    unknown = unknown.reversed_rows();
  }
  solve(matrix, unknown, alpha, ones, *engine(caller->communicator), *caller);
}

} // namespace cyclotron::mpi::scalapack
