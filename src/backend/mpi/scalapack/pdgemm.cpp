// SPDX-License-Identifier: MIT
#include "backend/mpi/blas_interface.hpp"
#include "backend/mpi/scalapack/call.hpp"

namespace cyclotron::mpi::scalapack {

namespace {

constexpr const char* names[] = {"TRANSA", "TRANSB", "M",  "N",     "K",    "ALPHA", "A",  "IA", "JA",   "DESCA",
                                 "B",      "IB",     "JB", "DESCB", "BETA", "C",     "IC", "JC", "DESCC"};

// c = alpha * a * b + beta * c
void multiply(const CyclicView& a, const CyclicView& b, const CyclicView& c, double alpha, double beta, Engine& engine,
              MPI_Comm communicator) {
  const auto product = engine.prepare({Operation::multiply, c.rows.extent, c.columns.extent, a.columns.extent});
  to_tiles(a, product->input(0), Part::all, 1, communicator);
  to_tiles(b, product->input(1), Part::all, 1, communicator);
  product->run();
  from_tiles(product->result(), c, Part::all, alpha, beta, communicator);
}

} // namespace

void pdgemm(char transa, char transb, int m, int n, int k, double alpha, In a, In b, double beta, InOut c,
            const EngineOf& engine) {
  const Option option_a{transa, 1, "NTC"}, option_b{transb, 2, "NTC"};
  const bool plain_a = option_a.is_first(), plain_b = option_b.is_first();
  const Extent m_at{m, 3}, n_at{n, 4}, k_at{k, 5};
  const Operand left = plain_a ? operand_of(a, m_at, k_at, 10) : operand_of(a, k_at, m_at, 10);
  const Operand right = plain_b ? operand_of(b, k_at, n_at, 14) : operand_of(b, n_at, k_at, 14);
  const Operand result = operand_of(c, m_at, n_at, 19);
  const auto caller = accept("PDGEMM", names, {option_a, option_b}, {{alpha, 6}, {beta, 15}}, {left, right, result});
  if (!caller) return;

  const bool no_product = alpha == 0 || k == 0;
  if (m == 0 || n == 0 || (no_product && beta == 1)) return;
  const CyclicView view = result.view(c.data, caller->place);
  if (no_product) return scale(view, beta);
  if (caller->alone())
    return dgemm_(&transa, &transb, &m, &n, &k, &alpha, in_place(a), &a.descriptor[8], in_place(b), &b.descriptor[8],
                  &beta, in_place(c), &c.descriptor[8], 1, 1);
  const CyclicView view_a = left.view(a.data, caller->place), view_b = right.view(b.data, caller->place);
  multiply(plain_a ? view_a : view_a.transpose(), plain_b ? view_b : view_b.transpose(), view, alpha, beta,
           *engine(caller->communicator), caller->communicator);
}

} // namespace cyclotron::mpi::scalapack
