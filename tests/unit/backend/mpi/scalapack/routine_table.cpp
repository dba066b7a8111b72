// SPDX-License-Identifier: MIT
#include "routine_table.hpp"

#include "backend/mpi/scalapack/routines.hpp"
#include "gathering_engine.hpp"

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

namespace cyclotron::mpi::scalapack {

namespace {

void gathering_gemm(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                    const double* alpha, const double* a, const int* ia, const int* ja, const int* desca,
                    const double* b, const int* ib, const int* jb, const int* descb, const double* beta, double* c,
                    const int* ic, const int* jc, const int* descc) {
  pdgemm(*transa, *transb, *m, *n, *k, *alpha, {a, *ia, *ja, desca}, {b, *ib, *jb, descb}, *beta, {c, *ic, *jc, descc},
         gathering_engine);
}

void gathering_trsm(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
                    const double* alpha, const double* a, const int* ia, const int* ja, const int* desca, double* b,
                    const int* ib, const int* jb, const int* descb) {
  pdtrsm(*side, *uplo, *trans, *diag, *m, *n, *alpha, {a, *ia, *ja, desca}, {b, *ib, *jb, descb}, gathering_engine);
}

void gathering_potrf(const char* uplo, const int* n, double* a, const int* ia, const int* ja, const int* desca,
                     int* info) {
  *info = pdpotrf(*uplo, *n, {a, *ia, *ja, desca}, gathering_engine);
}

template <class Function> Function find(void* library, const char* name) {
  void* found = library ? dlsym(library, name) : nullptr;
  if (!found) {
    std::fprintf(stderr, "no %s: %s\n", name, dlerror());
    std::abort();
  }
  return reinterpret_cast<Function>(found);
}

} // namespace

RoutineTable theirs() { return {pdgemm_, pdtrsm_, pdpotrf_}; }

RoutineTable with_gathering_engine() { return {gathering_gemm, gathering_trsm, gathering_potrf}; }

// Not for all to see, so that ScaLAPACK's own calls stay with ScaLAPACK.
RoutineTable of_dropin_library() {
  static void* const library = dlopen(CYCLOTRON_DROPIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return {find<decltype(&pdgemm_)>(library, "pdgemm_"), find<decltype(&pdtrsm_)>(library, "pdtrsm_"),
          find<decltype(&pdpotrf_)>(library, "pdpotrf_")};
}

} // namespace cyclotron::mpi::scalapack
