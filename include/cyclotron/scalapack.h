/* SPDX-License-Identifier: MIT */
/* Matrix product, triangular solve and Cholesky factorisation of distributed matrices, for programs that have their data
   in ScaLAPACK's block-cyclic form. Arguments mean what they mean to pdgemm, pdtrsm and pdpotrf: array descriptors are
   nine integers as descinit makes them, rows and columns count from 1, and all processes of the grid call together.
   Scalars are passed by value. The program's own ScaLAPACK supplies the BLACS.

     mpicc program.c -lcyclotron_scalapack -lscalapack-openmpi

   The library cyclotron_dropin has the same under ScaLAPACK's names, pdgemm_, pdtrsm_ and pdpotrf_: link it before
   ScaLAPACK, or load it with LD_PRELOAD, and nothing in the program needs to change. */
#ifndef CYCLOTRON_SCALAPACK_H
#define CYCLOTRON_SCALAPACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* sub(C) = alpha op(sub(A)) op(sub(B)) + beta sub(C); where beta is 0, C is not read. Illegal arguments end the job, as they
   do in the PBLAS; so do arguments that differ between processes. */
void cyclotron_pdgemm(char transa, char transb, int m, int n, int k, double alpha, const double *a, int ia, int ja,
                      const int *desca, const double *b, int ib, int jb, const int *descb, double beta, double *c, int ic,
                      int jc, const int *descc);

/* sub(B) = alpha op(sub(A))^-1 sub(B), or alpha sub(B) op(sub(A))^-1 with side R. */
void cyclotron_pdtrsm(char side, char uplo, char trans, char diag, int m, int n, double alpha, const double *a, int ia,
                      int ja, const int *desca, double *b, int ib, int jb, const int *descb);

/* The Cholesky factor of sub(A) in its place, in the triangle that uplo names. Returns INFO: 0; -i or -(100 i + j) for an
   illegal argument; k where the leading minor of order k is not positive, and sub(A) is as it was. */
int cyclotron_pdpotrf(char uplo, int n, double *a, int ia, int ja, const int *desca);

#ifdef __cplusplus
}
#endif

#endif
