// SPDX-License-Identifier: MIT
// The upper factor is the transpose of the lower one, of the transposed matrix.
#include "backend/mpi/blas_interface.hpp"
#include "backend/mpi/scalapack/blacs.hpp"
#include "backend/mpi/scalapack/call.hpp"
#include "backend/mpi/scalapack/grid.hpp"
#include "backend/mpi/scalapack/refuse.hpp"

#include <algorithm>

namespace cyclotron::mpi::scalapack {

namespace {

enum Position { uplo_at = 1, ia_at = 4, ja_at, desca_at };

// As ScaLAPACK tells it: a message of each process that met it, and a code to return.
int told(int context, int info) {
  const int parameter = -info;
  pxerbla_(&context, "PDPOTRF", &parameter, 7);
  return info;
}

// ScaLAPACK factors only what begins at the corner of a square block; so programs expect these codes.
void check_alignment(const Option& uplo, const Operand& matrix, ArgumentErrors& errors) {
  if (!uplo.is_legal()) errors.argument(uplo_at);
  else if ((matrix.row - 1) % matrix.descriptor.row_block != 0) errors.argument(ia_at);
  else if ((matrix.column - 1) % matrix.descriptor.column_block != 0) errors.argument(ja_at);
  else if (matrix.descriptor.row_block != matrix.descriptor.column_block) errors.entry(desca_at, 6);
}

// 0, or INFO of illegal arguments, the same on all ranks.
int check(const Option& uplo, const Operand& matrix, const Caller& caller) {
  ArgumentErrors errors;
  check_scalapack(matrix, caller.place, errors);
  if (!errors.any()) check_alignment(uplo, matrix, errors);
  std::vector<ArgumentErrors::Shared> shared{{uplo.is_first(), uplo_at * 100}};
  share(matrix, shared);
  errors.agree(shared, caller.communicator);
  return errors.info();
}

// The identity in the tiles that count.
void fill_identity(const Tiles& tiles, const Caller& caller) {
  for (long i = 0; i < tiles.row_count(); ++i)
    for (long j = 0; j <= i && j < tiles.column_count(); ++j) {
      if (tiles.owner(i, j) != caller.rank()) continue;
      const long height = std::min(tiles.tile_rows, tiles.rows - i * tiles.tile_rows);
      std::fill_n(tiles.data(i, j), height * std::min(tiles.tile_columns, tiles.columns - j * tiles.tile_columns), 0.0);
    }
  each_on_diagonal(tiles, caller, [](double& value, long) { value = 1; });
}

// Factors the leading part of a matrix, in the program for all of it: 0, or the order of a leading minor that is not
// positive; -1: one is not, but the computation does not tell which. `take` is called with a factor that exists.
template <class Take>
int try_leading(const CyclicView& matrix, long order, Engine& engine, const Caller& caller, Take take) {
  const long n = matrix.rows.extent;
  const auto factor = engine.prepare({Operation::factor, n, n, 0});
  if (order < n) fill_identity(factor->input(0), caller);
  to_tiles(matrix.part(0, order, 0, order), factor->input(0), Part::lower, 1, caller.communicator);
  if (!factor->run()) return -1;
  const int bad = first_on_diagonal(factor->result(), caller, [](double root) { return !(root > 0); });
  if (bad == 0) take(factor->result());
  return bad;
}

int factor(const CyclicView& matrix, Engine& engine, const Caller& caller) {
  const long n = matrix.rows.extent;
  int info = try_leading(matrix, n, engine, caller, [&](const Tiles& tiles) {
    from_tiles(tiles, matrix, Part::lower, 1, 0, caller.communicator);
  });
  long good = 0, bad = n; // orders that have a factor, and that have none
  while (info < 0 && bad - good > 1) {
    const long middle = good + (bad - good) / 2;
    const int found = try_leading(matrix, middle, engine, caller, [](const Tiles&) {});
    if (found > 0) info = found;
    (found == 0 ? good : bad) = middle;
  }
  return info < 0 ? static_cast<int>(bad) : info;
}

} // namespace

int pdpotrf(char uplo, int n, InOut a, const EngineOf& engine) {
  const Option option{uplo, uplo_at, "UL"};
  const Extent n_at{n, 2};
  const Operand matrix = operand_of(a, n_at, n_at, desca_at);
  const int context = matrix.descriptor.context;
  const GridPlace place = grid_place(context);
  if (place.rows == -1) return told(context, -(desca_at * 100 + context_entry));
  const Caller caller{place, grid_communicator(context, place)};
  if (caller.communicator == MPI_COMM_NULL) {
    refuse("PDPOTRF", context, no_communicator);
    return -(desca_at * 100 + context_entry);
  }
  if (const int info = check(option, matrix, caller)) return told(context, info);

  if (n == 0) return 0;
  if (caller.alone()) {
    int info = 0;
    dpotrf_(&uplo, &n, in_place(a), &a.descriptor[8], &info, 1);
    return info;
  }
  const CyclicView view = matrix.view(a.data, place);
  return factor(option.is_first() ? view.transpose() : view, *engine(caller.communicator), caller);
}

} // namespace cyclotron::mpi::scalapack
