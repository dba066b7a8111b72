// SPDX-License-Identifier: MIT
// The three routines as ScaLAPACK's interface has them, from three makers.
#pragma once

extern "C" {
void pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
             const double* a, const int* ia, const int* ja, const int* desca, const double* b, const int* ib,
             const int* jb, const int* descb, const double* beta, double* c, const int* ic, const int* jc,
             const int* descc);
void pdtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* desca, double* b,
             const int* ib, const int* jb, const int* descb);
void pdpotrf_(const char* uplo, const int* n, double* a, const int* ia, const int* ja, const int* desca, int* info);
}

namespace cyclotron::mpi::scalapack {

struct RoutineTable {
  decltype(&pdgemm_) gemm;
  decltype(&pdtrsm_) trsm;
  decltype(&pdpotrf_) potrf;
};

RoutineTable theirs();
RoutineTable with_gathering_engine(); // ours, but for the computing
RoutineTable of_dropin_library();     // ours as users get it: loaded beside ScaLAPACK

} // namespace cyclotron::mpi::scalapack
