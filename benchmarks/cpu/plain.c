/* SPDX-License-Identifier: MIT */
#include "plain.hpp"

#include <omp.h>
#include <string.h>

void plain_floyd_warshall(int64_t n, float* d) {
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = 0; i < n; i++) {
      const float to_k = d[i * n + k];
      for (int64_t j = 0; j < n; j++) {
        const float through = to_k + d[k * n + j];
        d[i * n + j] = through < d[i * n + j] ? through : d[i * n + j];
      }
    }
}

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

void plain_needleman_wunsch(int64_t m, int64_t n, const int32_t* a, const int32_t* b, int32_t* h) {
  for (int64_t i = 0; i <= m; i++) h[i * (n + 1)] = (int32_t)-i;
  for (int64_t j = 0; j <= n; j++) h[j] = (int32_t)-j;
  for (int64_t i = 1; i <= m; i++)
    for (int64_t j = 1; j <= n; j++) {
      const int32_t diagonal = h[(i - 1) * (n + 1) + j - 1] + (a[i - 1] == b[j - 1] ? 1 : -1);
      const int32_t gap = larger(h[(i - 1) * (n + 1) + j], h[i * (n + 1) + j - 1]) - 1;
      h[i * (n + 1) + j] = larger(diagonal, gap);
    }
}

void plain_gauss_seidel(int64_t m, int64_t n, int64_t steps, double* u) {
  for (int64_t t = 0; t < steps; t++)
    for (int64_t i = 1; i < m - 1; i++)
      for (int64_t j = 1; j < n - 1; j++)
        u[i * n + j] = (u[(i - 1) * n + j] + u[i * n + j - 1] + u[(i + 1) * n + j] + u[i * n + j + 1]) / 4;
}

/* v is steps x n: a step's values lie together. The state is the innermost loop, so that it runs in vectors. */
void plain_viterbi(int64_t n, int64_t steps, const double* a, const double* b, const double* p, double* v) {
  for (int64_t i = 0; i < n; i++) v[i] = p[i] * b[i];
  for (int64_t j = 1; j < steps; j++) {
    for (int64_t i = 0; i < n; i++) v[j * n + i] = 0;
    for (int64_t k = 0; k < n; k++) {
      const double before = v[(j - 1) * n + k];
      for (int64_t i = 0; i < n; i++) {
        const double candidate = before * a[k * n + i] * b[j * n + i];
        v[j * n + i] = candidate > v[j * n + i] ? candidate : v[j * n + i];
      }
    }
  }
}

static inline void conv1d(int64_t m, int64_t r, const double* restrict x, const double* restrict w,
                          double* restrict z) {
  for (int64_t c = 0; c < m; c++) {
    double sum = 0;
    for (int64_t q = 0; q < r; q++) sum += x[c + q] * w[q];
    z[c] = sum;
  }
}

/* gcc vectorises the loop over results only where it knows the number of weights. */
void plain_conv1d(int64_t m, int64_t r, const double* restrict x, const double* restrict w, double* restrict z) {
  if (r == 2) conv1d(m, 2, x, w, z);
  else if (r == 5) conv1d(m, 5, x, w, z);
  else conv1d(m, r, x, w, z);
}

void plain_conv1d_5(int64_t m, const float* restrict x, const float* restrict w, float* restrict z) {
  for (int64_t c = 0; c < m; c++) {
    float sum = 0;
    for (int64_t q = 0; q < 5; q++) sum += x[c + q] * w[q];
    z[c] = sum;
  }
}

/* A row of results at a time. With its k * k products written out, gcc vectorises the loop over the row; as two loops
   around it, it does not. */
#define SUM_3(x, w) (x)[0] * (w)[0] + (x)[1] * (w)[1] + (x)[2] * (w)[2]
#define SUM_5(x, w) SUM_3(x, w) + (x)[3] * (w)[3] + (x)[4] * (w)[4]

void plain_conv2d_3(int64_t m, int64_t n, const float* restrict x, const float* restrict w, float* restrict z) {
  const int64_t s = n + 2;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      const float* const at = x + i * s + j;
      z[i * n + j] = SUM_3(at, w) + SUM_3(at + s, w + 3) + SUM_3(at + 2 * s, w + 6);
    }
}

void plain_conv2d_5(int64_t m, int64_t n, const float* restrict x, const float* restrict w, float* restrict z) {
  const int64_t s = n + 4;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      const float* const at = x + i * s + j;
      z[i * n + j] = SUM_5(at, w) + SUM_5(at + s, w + 5) + SUM_5(at + 2 * s, w + 10) + SUM_5(at + 3 * s, w + 15) +
                     SUM_5(at + 4 * s, w + 20);
    }
}

void plain_spmv(int64_t m, const int32_t* pos, const int32_t* crd, const double* values, const double* c, double* x) {
  for (int64_t i = 0; i < m; i++) {
    double sum = 0;
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) sum += values[p] * c[crd[p]];
    x[i] = sum;
  }
}

/* The product with a row of c waits until a fiber's sum is complete: the way it is written by hand. */
void plain_mttkrp(int64_t m, int64_t r, const plain_csf* b, const double* c, const double* d, double* x) {
  double sum[256];
  memset(x, 0, (size_t)(m * r) * sizeof *x);
  for (int32_t s = b->pos1[0]; s < b->pos1[1]; s++) {
    double* row = x + b->crd1[s] * r;
    for (int32_t f = b->pos2[s]; f < b->pos2[s + 1]; f++) {
      for (int64_t j = 0; j < r; j++) sum[j] = 0;
      for (int32_t p = b->pos3[f]; p < b->pos3[f + 1]; p++)
        for (int64_t j = 0; j < r; j++) sum[j] += b->values[p] * d[b->crd3[p] * r + j];
      for (int64_t j = 0; j < r; j++) row[j] += sum[j] * c[b->crd2[f] * r + j];
    }
  }
}

void plain_ttv(const plain_csf* b, const double* c, double* x) {
  for (int32_t s = b->pos1[0]; s < b->pos1[1]; s++)
    for (int32_t f = b->pos2[s]; f < b->pos2[s + 1]; f++) {
      double sum = 0;
      for (int32_t p = b->pos3[f]; p < b->pos3[f + 1]; p++) sum += b->values[p] * c[b->crd3[p]];
      x[f] = sum;
    }
}

void set_threads(int count) { omp_set_num_threads(count); }
