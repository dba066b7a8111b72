// SPDX-License-Identifier: MIT
#include "cyclotron/scalapack.h"

#include "api/scalapack/programs.hpp"
#include "backend/mpi/scalapack/pe_engine.hpp"
#include "backend/mpi/scalapack/refuse.hpp"
#include "backend/mpi/scalapack/routines.hpp"

#include <new>
#include <stdexcept>

namespace cyclotron::api {

namespace {

using namespace mpi::scalapack;

using Attached = std::shared_ptr<Engine>;

int detach(MPI_Comm, int, void* attached, void*) {
  delete static_cast<Attached*>(attached);
  return MPI_SUCCESS;
}

// One engine per communicator, gone with it: programs and memory are used again by the next call.
Attached engine_of(MPI_Comm communicator) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, detach, &made, nullptr);
    return made;
  }();
  void* attached = nullptr;
  int found = 0;
  MPI_Comm_get_attr(communicator, key, &attached, &found);
  if (!found) {
    attached = new Attached(pe_engine(communicator, scalapack_programs()));
    MPI_Comm_set_attr(communicator, key, attached);
  }
  return *static_cast<Attached*>(attached);
}

// Nothing is thrown at a program in C or Fortran.
template <class Body> void call(const char* routine, const int* descriptor, Body body) {
  const int context = descriptor[1];
  try {
    body();
  } catch (const std::bad_alloc&) {
    refuse(routine, context, "there is not enough memory");
  } catch (const std::exception& problem) {
    refuse(routine, context, problem.what());
  }
}

} // namespace

} // namespace cyclotron::api

extern "C" {

void cyclotron_pdgemm(char transa, char transb, int m, int n, int k, double alpha, const double* a, int ia, int ja,
                      const int* desca, const double* b, int ib, int jb, const int* descb, double beta, double* c,
                      int ic, int jc, const int* descc) {
  using namespace cyclotron::api;
  call("PDGEMM", desca, [&] {
    pdgemm(transa, transb, m, n, k, alpha, {a, ia, ja, desca}, {b, ib, jb, descb}, beta, {c, ic, jc, descc}, engine_of);
  });
}

void cyclotron_pdtrsm(char side, char uplo, char trans, char diag, int m, int n, double alpha, const double* a, int ia,
                      int ja, const int* desca, double* b, int ib, int jb, const int* descb) {
  using namespace cyclotron::api;
  call("PDTRSM", desca, [&] {
    pdtrsm(side, uplo, trans, diag, m, n, alpha, {a, ia, ja, desca}, {b, ib, jb, descb}, engine_of);
  });
}

int cyclotron_pdpotrf(char uplo, int n, double* a, int ia, int ja, const int* desca) {
  using namespace cyclotron::api;
  int info = -1;
  call("PDPOTRF", desca, [&] { info = pdpotrf(uplo, n, {a, ia, ja, desca}, engine_of); });
  return info;
}
}
