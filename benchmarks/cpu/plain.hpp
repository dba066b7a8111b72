/* SPDX-License-Identifier: MIT
   The loops that a C programmer would write, compiled with the flags of our kernels. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void plain_floyd_warshall(int64_t n, float* d); /* in place */
void plain_needleman_wunsch(int64_t m, int64_t n, const int32_t* a, const int32_t* b, int32_t* h);
void plain_gauss_seidel(int64_t m, int64_t n, int64_t steps, double* u); /* in place */
void plain_viterbi(int64_t n, int64_t steps, const double* a, const double* b, const double* p, double* v);
/* Convolutions. Of single precision, with weights that a compiler can write out. */
void plain_conv1d(int64_t m, int64_t r, const double* x, const double* w, double* z);
void plain_conv1d_5(int64_t m, const float* x, const float* w, float* z);
void plain_conv2d_3(int64_t m, int64_t n, const float* x, const float* w, float* z);
void plain_conv2d_5(int64_t m, int64_t n, const float* x, const float* w, float* z);
void plain_spmv(int64_t m, const int32_t* pos, const int32_t* crd, const double* values, const double* c, double* x);

/* A tensor of three dimensions, each compressed. */
typedef struct {
  const int32_t *pos1, *crd1, *pos2, *crd2, *pos3, *crd3;
  const double* values;
} plain_csf;
void plain_mttkrp(int64_t m, int64_t r, const plain_csf* b, const double* c, const double* d, double* x);
void plain_ttv(const plain_csf* b, const double* c, double* x); /* x: a value for each fiber */

void set_threads(int count); /* of OpenMP */

#ifdef __cplusplus
}
#endif
