// SPDX-License-Identifier: MIT
// All sixteen kinds of triangular solve are one. From the right, X op(A) = B is op(A)' X' = B'. And an upper triangle,
// rows and columns counted backwards, is a lower one: with the rows of B and X counted backwards too, the equation is
// the same.
#include "backend/mpi/scalapack/call.hpp"
#include "backend/mpi/scalapack/grid.hpp"
#include "backend/mpi/scalapack/local_blas.hpp"
#include "backend/mpi/scalapack/refuse.hpp"

#include <algorithm>

namespace cyclotron::mpi {

namespace {

constexpr const char* routine = "PDTRSM";
constexpr const char* names[] = {"SIDE", "UPLO", "TRANS", "DIAG", "M",  "N",  "ALPHA", "A",
                                 "IA",   "JA",   "DESCA", "B",    "IB", "JB", "DESCB"};
enum Position { side_at = 1, uplo_at, trans_at, diag_at, m_at, n_at, alpha_at, desca_at = 11, descb_at = 15 };

void ones_on_diagonal(const Tiles& tiles, int me) {
  for (long i = 0; i < tiles.rows;) {
    const long row = i / tiles.tile_rows, column = i / tiles.tile_columns;
    const long end = std::min({(row + 1) * tiles.tile_rows, (column + 1) * tiles.tile_columns, tiles.rows});
    if (tiles.owner(row, column) == me) {
      const long width = std::min(tiles.tile_columns, tiles.columns - column * tiles.tile_columns);
      double* tile = tiles.data(row, column);
      for (long d = i; d < end; ++d) tile[(d - row * tiles.tile_rows) * width + d - column * tiles.tile_columns] = 1;
    }
    i = end;
  }
}

} // namespace

void pdtrsm(char side, char uplo, char trans, char diag, int m, int n, double alpha, In a, InOut b,
            const EngineOf& engine) {
  const int context = Descriptor::of(a.descriptor).context;
  const GridPlace place = grid_place(context);
  if (place.rows == -1)
    return refuse_parameter(routine, names, context, -(desca_at * 100 + 2), "is no context of this process");

  const bool left = upper(side) == 'L', lower = upper(uplo) == 'L', plain = upper(trans) == 'N',
             unit = upper(diag) == 'U';
  const Operand triangle = left ? operand_of(a, m, m_at, m, m_at, desca_at) : operand_of(a, n, n_at, n, n_at, desca_at);
  const Operand right_side = operand_of(b, m, m_at, n, n_at, descb_at);
  ArgumentErrors errors;
  if (!is_one_of(upper(side), {'L', 'R'})) errors.argument(side_at);
  if (!is_one_of(upper(uplo), {'L', 'U'})) errors.argument(uplo_at);
  if (!is_one_of(upper(trans), {'N', 'T', 'C'})) errors.argument(trans_at);
  if (!is_one_of(upper(diag), {'N', 'U'})) errors.argument(diag_at);
  check_pblas(triangle, context, place, errors);
  check_pblas(right_side, context, place, errors);
  if (errors.any()) return refuse_parameter(routine, names, context, errors.info(), "has an illegal value");

  const MPI_Comm communicator = grid_communicator(context, place);
  if (communicator == MPI_COMM_NULL) return refuse(routine, context, "these BLACS give no communicator of the grid");
  std::vector<ArgumentErrors::Shared> shared{
      {left, side_at * 100}, {lower, uplo_at * 100}, {plain, trans_at * 100}, {unit, diag_at * 100}};
  share(alpha, alpha_at, shared);
  share(triangle, shared);
  share(right_side, shared);
  errors.agree(shared, communicator);
  if (errors.any())
    return refuse_parameter(routine, names, context, errors.info(), "is not the same on all processes of the grid");

  if (m == 0 || n == 0) return;
  CyclicView unknown = right_side.view(b.data, place);
  if (alpha == 0) return scale(unknown, 0);
  if (place.rows * place.columns == 1)
    return dtrsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, in_place(a), &a.descriptor[8], in_place(b),
                  &b.descriptor[8], 1, 1, 1, 1);

  CyclicView matrix = triangle.view(a.data, place);
  if (!left) unknown = unknown.transpose();
  const bool transposed = left != plain; // what stands before the unknown: A, or its transpose
  if (transposed) matrix = matrix.transpose();
  if (lower == transposed) {
    matrix = matrix.reversed_rows().reversed_columns();
    unknown = unknown.reversed_rows();
  }
  const auto engine_here = engine(communicator);
  const auto job = engine_here->solve(unknown.rows.extent, unknown.columns.extent);
  to_tiles(matrix, job->tiles(0), Part::lower, 1, communicator);
  if (unit) ones_on_diagonal(job->tiles(0), place.row * place.columns + place.column);
  to_tiles(unknown, job->tiles(1), Part::all, alpha, communicator);
  job->run();
  from_tiles(job->tiles(1), unknown, Part::all, 1, 0, communicator);
}

} // namespace cyclotron::mpi
