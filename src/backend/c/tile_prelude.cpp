// SPDX-License-Identifier: MIT
// Kernels on tiles as C text: row-major, computed in f64, the innermost loop over neighbours in memory so that the C
// compiler vectorises it. No library is called: generated code stands alone.
#include "backend/c/prelude.hpp"

namespace cyclotron::backend::c {

const std::vector<PreludeFunction>& tile_functions() {
  static const std::vector<PreludeFunction> list = {
      {"cyc_transpose", {}, R"(/* B = A^T; A is m x n. */
static void cyc_transpose(int64_t m, int64_t n, const double *restrict a, double *restrict b) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) b[j * m + i] = a[i * n + j];
}
)"},
      {"cyc_gemm",
       {},
       R"(/* C += A B; A is m x k, B is k x n. Four rows of B at a time, so that C is read and written less often. */
static void cyc_gemm(int64_t m, int64_t k, int64_t n, const double *restrict a, const double *restrict b,
                     double *restrict c) {
  for (int64_t i = 0; i < m; i++) {
    const double *const x = a + i * k;
    double *const y = c + i * n;
    int64_t p = 0;
    for (; p + 4 <= k; p += 4) {
      const double x0 = x[p], x1 = x[p + 1], x2 = x[p + 2], x3 = x[p + 3];
      const double *const b0 = b + p * n, *const b1 = b0 + n, *const b2 = b1 + n, *const b3 = b2 + n;
      for (int64_t j = 0; j < n; j++) y[j] = y[j] + x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j];
    }
    for (; p < k; p++)
      for (int64_t j = 0; j < n; j++) y[j] += x[p] * b[p * n + j];
  }
}
)"},
      {"cyc_gemm_nt",
       {"cyc_transpose", "cyc_gemm"},
       R"(/* C += A B^T; A is m x k, B is n x k. `work` holds n * k numbers. */
static void cyc_gemm_nt(int64_t m, int64_t k, int64_t n, const double *restrict a, const double *restrict b,
                        double *restrict c, double *restrict work) {
  cyc_transpose(n, k, b, work);
  cyc_gemm(m, k, n, a, work, c);
}
)"},
      {"cyc_gemm_tn",
       {"cyc_transpose", "cyc_gemm"},
       R"(/* C += A^T B; A is k x m, B is k x n. `work` holds k * m numbers. */
static void cyc_gemm_tn(int64_t k, int64_t m, int64_t n, const double *restrict a, const double *restrict b,
                        double *restrict c, double *restrict work) {
  cyc_transpose(k, m, a, work);
  cyc_gemm(m, k, n, work, b, c);
}
)"},
      {"cyc_gemv", {}, R"(/* y += A x; A is m x k. */
static void cyc_gemv(int64_t m, int64_t k, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int64_t i = 0; i < m; i++) {
    double sum = 0;
    for (int64_t p = 0; p < k; p++) sum += a[i * k + p] * x[p];
    y[i] += sum;
  }
}
)"},
      {"cyc_gemv_t", {}, R"(/* y += A^T x; A is k x m. */
static void cyc_gemv_t(int64_t k, int64_t m, const double *restrict a, const double *restrict x, double *restrict y) {
  for (int64_t p = 0; p < k; p++)
    for (int64_t i = 0; i < m; i++) y[i] += a[p * m + i] * x[p];
}
)"},
      {"cyc_ger", {}, R"(/* C += x y^T; x has m numbers, y has n. */
static void cyc_ger(int64_t m, int64_t n, const double *restrict x, const double *restrict y, double *restrict c) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) c[i * n + j] += x[i] * y[j];
}
)"},
      {"cyc_trsm",
       {"cyc_pivot"},
       R"(/* X becomes L^-1 X; L is m x m, lower triangular, X is m x n. The strict upper part of L is not read. */
static void cyc_trsm(int64_t m, int64_t n, const double *restrict l, double *restrict x, int *failed) {
  if (n == 0) return;
  for (int64_t i = 0; i < m; i++) {
    double *const row = x + i * n;
    for (int64_t k = 0; k < i; k++)
      for (int64_t j = 0; j < n; j++) row[j] -= l[i * m + k] * x[k * n + j];
    const double pivot = cyc_pivot(l[i * m + i], failed);
    for (int64_t j = 0; j < n; j++) row[j] /= pivot;
  }
}
)"},
      {"cyc_trsm_llu",
       {},
       R"(/* X becomes L^-1 X; L is m x m, lower triangular with ones on its diagonal, which is not read. */
static void cyc_trsm_llu(int64_t m, int64_t n, const double *restrict l, double *restrict x) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t k = 0; k < i; k++)
      for (int64_t j = 0; j < n; j++) x[i * n + j] -= l[i * m + k] * x[k * n + j];
}
)"},
      {"cyc_trsm_llt", {"cyc_pivot"}, R"(/* X becomes L^-T X; L is m x m, lower triangular, X is m x n. */
static void cyc_trsm_llt(int64_t m, int64_t n, const double *restrict l, double *restrict x, int *failed) {
  if (n == 0) return;
  for (int64_t i = m - 1; i >= 0; i--) {
    double *const row = x + i * n;
    for (int64_t k = i + 1; k < m; k++)
      for (int64_t j = 0; j < n; j++) row[j] -= l[k * m + i] * x[k * n + j];
    const double pivot = cyc_pivot(l[i * m + i], failed);
    for (int64_t j = 0; j < n; j++) row[j] /= pivot;
  }
}
)"},
      {"cyc_trsm_lun", {"cyc_pivot"}, R"(/* X becomes U^-1 X; U is m x m, upper triangular, X is m x n. */
static void cyc_trsm_lun(int64_t m, int64_t n, const double *restrict u, double *restrict x, int *failed) {
  if (n == 0) return;
  for (int64_t i = m - 1; i >= 0; i--) {
    double *const row = x + i * n;
    for (int64_t k = i + 1; k < m; k++)
      for (int64_t j = 0; j < n; j++) row[j] -= u[i * m + k] * x[k * n + j];
    const double pivot = cyc_pivot(u[i * m + i], failed);
    for (int64_t j = 0; j < n; j++) row[j] /= pivot;
  }
}
)"},
      {"cyc_trsm_run", {"cyc_pivot"}, R"(/* X becomes X U^-1; U is n x n, upper triangular, X is m x n. */
static void cyc_trsm_run(int64_t n, int64_t m, const double *restrict u, double *restrict x, int *failed) {
  for (int64_t i = 0; i < m; i++) {
    double *const row = x + i * n;
    for (int64_t k = 0; k < n; k++) {
      row[k] /= cyc_pivot(u[k * n + k], failed);
      for (int64_t j = k + 1; j < n; j++) row[j] -= row[k] * u[k * n + j];
    }
  }
}
)"},
      {"cyc_trsm_rln", {"cyc_pivot"}, R"(/* X becomes X L^-1; L is n x n, lower triangular, X is m x n. */
static void cyc_trsm_rln(int64_t n, int64_t m, const double *restrict l, double *restrict x, int *failed) {
  for (int64_t i = 0; i < m; i++) {
    double *const row = x + i * n;
    for (int64_t k = n - 1; k >= 0; k--) {
      row[k] /= cyc_pivot(l[k * n + k], failed);
      for (int64_t j = 0; j < k; j++) row[j] -= row[k] * l[k * n + j];
    }
  }
}
)"},
      {"cyc_trsm_rlt",
       {"cyc_transpose", "cyc_trsm_run"},
       R"(/* X becomes X L^-T; L is n x n, lower triangular, X is m x n. `work` holds n * n numbers. */
static void cyc_trsm_rlt(int64_t n, int64_t m, const double *restrict l, double *restrict x, double *restrict work,
                         int *failed) {
  cyc_transpose(n, n, l, work);
  cyc_trsm_run(n, m, work, x, failed);
}
)"},
      {"cyc_trsv", {"cyc_pivot"}, R"(/* x becomes L^-1 x; L is m x m, lower triangular. */
static void cyc_trsv(int64_t m, const double *restrict l, double *restrict x, int *failed) {
  for (int64_t i = 0; i < m; i++) {
    for (int64_t k = 0; k < i; k++) x[i] -= l[i * m + k] * x[k];
    x[i] /= cyc_pivot(l[i * m + i], failed);
  }
}
)"},
      {"cyc_trsv_lu",
       {},
       R"(/* x becomes L^-1 x; L is m x m, lower triangular with ones on its diagonal, which is not read. */
static void cyc_trsv_lu(int64_t m, const double *restrict l, double *restrict x) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t k = 0; k < i; k++) x[i] -= l[i * m + k] * x[k];
}
)"},
      {"cyc_trsv_un", {"cyc_pivot"}, R"(/* x becomes U^-1 x; U is m x m, upper triangular. */
static void cyc_trsv_un(int64_t m, const double *restrict u, double *restrict x, int *failed) {
  for (int64_t i = m - 1; i >= 0; i--) {
    for (int64_t k = i + 1; k < m; k++) x[i] -= u[i * m + k] * x[k];
    x[i] /= cyc_pivot(u[i * m + i], failed);
  }
}
)"},
      {"cyc_potrf",
       {"cyc_pivot"},
       R"(/* A becomes its lower Cholesky factor; only its lower part is read. `work` holds m numbers. */
static void cyc_potrf(int64_t m, double *restrict a, double *restrict work, int *failed) {
  for (int64_t j = 0; j < m; j++) {
    if (a[j * m + j] < 0 && !*failed) *failed = CYC_ROOT_OF_NEGATIVE;
    const double root = sqrt(a[j * m + j]), pivot = j + 1 < m ? cyc_pivot(root, failed) : root;
    a[j * m + j] = root;
    for (int64_t i = j + 1; i < m; i++) work[i] = a[i * m + j] = a[i * m + j] / pivot;
    for (int64_t i = j + 1; i < m; i++)
      for (int64_t k = j + 1; k <= i; k++) a[i * m + k] -= work[i] * work[k];
    for (int64_t k = j + 1; k < m; k++) a[j * m + k] = 0;
  }
}
)"},
      {"cyc_getrf",
       {"cyc_pivot"},
       R"(/* A becomes L and U of A = L U, without pivoting; the ones on the diagonal of L are not stored. */
static void cyc_getrf(int64_t m, double *restrict a, int *failed) {
  for (int64_t k = 0; k + 1 < m; k++) {
    const double pivot = cyc_pivot(a[k * m + k], failed);
    for (int64_t i = k + 1; i < m; i++) {
      const double factor = a[i * m + k] /= pivot;
      for (int64_t j = k + 1; j < m; j++) a[i * m + j] -= factor * a[k * m + j];
    }
  }
}
)"},
      {"cyc_getrf_l", {"cyc_getrf"}, R"(/* A becomes L of A = L U, with the ones on its diagonal. */
static void cyc_getrf_l(int64_t m, double *restrict a, int *failed) {
  cyc_getrf(m, a, failed);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = i; j < m; j++) a[i * m + j] = i == j;
}
)"},
      {"cyc_getrf_u", {"cyc_getrf"}, R"(/* A becomes U of A = L U. */
static void cyc_getrf_u(int64_t m, double *restrict a, int *failed) {
  cyc_getrf(m, a, failed);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < i; j++) a[i * m + j] = 0;
}
)"},
  };
  return list;
}

} // namespace cyclotron::backend::c
