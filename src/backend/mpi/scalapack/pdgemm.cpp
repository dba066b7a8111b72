// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/call.hpp"
#include "backend/mpi/scalapack/grid.hpp"
#include "backend/mpi/scalapack/local_blas.hpp"
#include "backend/mpi/scalapack/refuse.hpp"

namespace cyclotron::mpi {

namespace {

constexpr const char* routine = "PDGEMM";
constexpr const char* names[] = {"TRANSA", "TRANSB", "M",  "N",     "K",    "ALPHA", "A",  "IA", "JA",   "DESCA",
                                 "B",      "IB",     "JB", "DESCB", "BETA", "C",     "IC", "JC", "DESCC"};
enum Position {
  transa_at = 1,
  transb_at,
  m_at,
  n_at,
  k_at,
  alpha_at,
  desca_at = 10,
  descb_at = 14,
  beta_at,
  descc_at = 19
};

struct Operands {
  Operand a, b, c;
};

} // namespace

void pdgemm(char transa, char transb, int m, int n, int k, double alpha, In a, In b, double beta, InOut c,
            const EngineOf& engine) {
  const int context = Descriptor::of(a.descriptor).context;
  const GridPlace place = grid_place(context);
  if (place.rows == -1)
    return refuse_parameter(routine, names, context, -(desca_at * 100 + 2), "is no context of this process");

  const bool plain_a = upper(transa) == 'N', plain_b = upper(transb) == 'N';
  const Operands operands{
      plain_a ? operand_of(a, m, m_at, k, k_at, desca_at) : operand_of(a, k, k_at, m, m_at, desca_at),
      plain_b ? operand_of(b, k, k_at, n, n_at, descb_at) : operand_of(b, n, n_at, k, k_at, descb_at),
      operand_of(c, m, m_at, n, n_at, descc_at)};
  ArgumentErrors errors;
  if (!is_one_of(upper(transa), {'N', 'T', 'C'})) errors.argument(transa_at);
  if (!is_one_of(upper(transb), {'N', 'T', 'C'})) errors.argument(transb_at);
  for (const Operand* operand : {&operands.a, &operands.b, &operands.c}) check_pblas(*operand, context, place, errors);
  if (errors.any()) return refuse_parameter(routine, names, context, errors.info(), "has an illegal value");

  const MPI_Comm communicator = grid_communicator(context, place);
  if (communicator == MPI_COMM_NULL) return refuse(routine, context, "these BLACS give no communicator of the grid");
  std::vector<ArgumentErrors::Shared> shared{{plain_a, transa_at * 100}, {plain_b, transb_at * 100}};
  share(alpha, alpha_at, shared);
  share(beta, beta_at, shared);
  for (const Operand* operand : {&operands.a, &operands.b, &operands.c}) share(*operand, shared);
  errors.agree(shared, communicator);
  if (errors.any())
    return refuse_parameter(routine, names, context, errors.info(), "is not the same on all processes of the grid");

  const bool no_product = alpha == 0 || k == 0;
  if (m == 0 || n == 0 || (no_product && beta == 1)) return;
  const CyclicView result = operands.c.view(c.data, place);
  if (no_product) return scale(result, beta);
  if (place.rows * place.columns == 1)
    return dgemm_(&transa, &transb, &m, &n, &k, &alpha, in_place(a), &a.descriptor[8], in_place(b), &b.descriptor[8],
                  &beta, in_place(c), &c.descriptor[8], 1, 1);

  const CyclicView left = operands.a.view(a.data, place), right = operands.b.view(b.data, place);
  const auto engine_here = engine(communicator);
  const auto job = engine_here->multiply(m, n, k);
  to_tiles(plain_a ? left : left.transpose(), job->tiles(0), Part::all, 1, communicator);
  to_tiles(plain_b ? right : right.transpose(), job->tiles(1), Part::all, 1, communicator);
  job->run();
  from_tiles(job->tiles(2), result, Part::all, alpha, beta, communicator);
}

} // namespace cyclotron::mpi
