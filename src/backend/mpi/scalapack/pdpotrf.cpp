// SPDX-License-Identifier: MIT
// The upper factor is the transpose of the lower one, of the transposed matrix.
#include "backend/mpi/scalapack/blacs.hpp"
#include "backend/mpi/scalapack/call.hpp"
#include "backend/mpi/scalapack/grid.hpp"
#include "backend/mpi/scalapack/local_blas.hpp"
#include "backend/mpi/scalapack/refuse.hpp"

namespace cyclotron::mpi {

namespace {

constexpr const char* routine = "PDPOTRF";
enum Position { uplo_at = 1, n_at, ia_at = 4, ja_at, desca_at };

// As ScaLAPACK tells it: a message of each process that met it, and a code to return.
int told(int context, int info) {
  const int parameter = -info;
  pxerbla_(&context, routine, &parameter, 7);
  return info;
}

// ScaLAPACK factors only what begins at the corner of a square block; so programs expect these codes.
void check_alignment(char uplo, const Operand& matrix, ArgumentErrors& errors) {
  if (!is_one_of(uplo, {'L', 'U'})) errors.argument(uplo_at);
  else if ((matrix.row - 1) % matrix.descriptor.row_block != 0) errors.argument(ia_at);
  else if ((matrix.column - 1) % matrix.descriptor.column_block != 0) errors.argument(ja_at);
  else if (matrix.descriptor.row_block != matrix.descriptor.column_block) errors.entry(desca_at, 6);
}

} // namespace

int pdpotrf(char uplo, int n, InOut a, const EngineOf& engine) {
  const int context = Descriptor::of(a.descriptor).context;
  const GridPlace place = grid_place(context);
  if (place.rows == -1) return told(context, -(desca_at * 100 + 2));
  const MPI_Comm communicator = grid_communicator(context, place);
  if (communicator == MPI_COMM_NULL) {
    refuse(routine, context, "these BLACS give no communicator of the grid");
    return -(desca_at * 100 + 2);
  }

  const Operand matrix = operand_of(a, n, n_at, n, n_at, desca_at);
  ArgumentErrors errors;
  check_scalapack(matrix, place, errors);
  if (!errors.any()) check_alignment(upper(uplo), matrix, errors);
  std::vector<ArgumentErrors::Shared> shared{{upper(uplo) == 'U', uplo_at * 100}};
  share(matrix, shared);
  errors.agree(shared, communicator);
  if (errors.any()) return told(context, errors.info());

  if (n == 0) return 0;
  if (place.rows * place.columns == 1) {
    int info = 0;
    dpotrf_(&uplo, &n, in_place(a), &a.descriptor[8], &info, 1);
    return info;
  }
  const CyclicView whole = matrix.view(a.data, place);
  const CyclicView lower = upper(uplo) == 'L' ? whole : whole.transpose();
  const auto engine_here = engine(communicator);
  const auto job = engine_here->factor(n);
  to_tiles(lower, job->tiles(0), Part::lower, 1, communicator);
  const int info = job->run();
  if (info == 0) from_tiles(job->tiles(0), lower, Part::lower, 1, 0, communicator);
  return info;
}

} // namespace cyclotron::mpi
