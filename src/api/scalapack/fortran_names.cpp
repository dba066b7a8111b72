// SPDX-License-Identifier: MIT
// ScaLAPACK's own names, as Fortran programs and most C programs call them. A library of their own: linked, or loaded
// with LD_PRELOAD, before ScaLAPACK, it takes over these three routines and leaves all others.
#include "cyclotron/scalapack.h"

extern "C" {

void pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
             const double* a, const int* ia, const int* ja, const int* desca, const double* b, const int* ib,
             const int* jb, const int* descb, const double* beta, double* c, const int* ic, const int* jc,
             const int* descc) {
  cyclotron_pdgemm(*transa, *transb, *m, *n, *k, *alpha, a, *ia, *ja, desca, b, *ib, *jb, descb, *beta, c, *ic, *jc,
                   descc);
}

void pdtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* desca, double* b,
             const int* ib, const int* jb, const int* descb) {
  cyclotron_pdtrsm(*side, *uplo, *trans, *diag, *m, *n, *alpha, a, *ia, *ja, desca, b, *ib, *jb, descb);
}

void pdpotrf_(const char* uplo, const int* n, double* a, const int* ia, const int* ja, const int* desca, int* info) {
  *info = cyclotron_pdpotrf(*uplo, *n, a, *ia, *ja, desca);
}
}
