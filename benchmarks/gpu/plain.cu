// SPDX-License-Identifier: MIT
// What somebody writes at first: one result a thread. Our kernels are measured beside these, and checked with them.
typedef long long i64;

extern "C" __global__ void fill_random(float *p, i64 n, i64 seed) {
  for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
    unsigned h = (unsigned)i * 2654435761u ^ (unsigned)seed;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    p[i] = (h & 0xffff) / 65536.f - 0.5f;
  }
}

// The largest difference, as the bits of a float that is not negative; a NaN is larger than all.
extern "C" __global__ void difference(const float *a, const float *b, i64 n, i64 row, i64 valid, int *largest) {
  int own = 0;
  for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)
    if (i % row < valid) own = max(own, __float_as_int(fabsf(a[i] - b[i])));
  atomicMax(largest, own);
}

extern "C" __global__ void conv1d(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ z,
                                  i64 m, i64 r) {
  const i64 c = blockIdx.x * (i64)blockDim.x + threadIdx.x;
  if (c >= m) return;
  float sum = 0;
  for (int q = 0; q < r; ++q) sum += x[c + q] * w[q];
  z[c] = sum;
}

// Rows of n numbers; a block does a piece of a row.
extern "C" __global__ void conv2d(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ z,
                                  i64 rows, i64 n, i64 a) {
  const i64 m = n - a + 1, pieces = (m + blockDim.x - 1) / blockDim.x;
  const i64 i = blockIdx.x / pieces, j = blockIdx.x % pieces * blockDim.x + threadIdx.x;
  if (i >= rows || j >= m) return;
  float sum = 0;
  for (int p = 0; p < a; ++p)
    for (int q = 0; q < a; ++q) sum += x[(i + p) * n + j + q] * w[p * a + q];
  z[i * m + j] = sum;
}

// A channel a thread: y(t) = a(t) y(t-1) + b(t), channels side by side in memory.
extern "C" __global__ void linear_recurrence(const float *__restrict__ a, const float *__restrict__ b,
                                             float *__restrict__ y, i64 n, i64 m) {
  const i64 c = blockIdx.x * (i64)blockDim.x + threadIdx.x;
  if (c >= m) return;
  float last = 0;
  for (i64 t = 0; t < n; ++t) y[t * m + c] = last = a[t * m + c] * last + b[t * m + c];
}

// A pair of sequences a block, a letter of the first a thread, an anti-diagonal a step: the score of a global alignment.
extern "C" __global__ void alignment(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ score,
                                     i64 m, i64 n) {
  extern __shared__ int before[]; // three anti-diagonals of m + 1 cells
  const int i = threadIdx.x + 1, wide = (int)m + 1;
  const i64 pair = blockIdx.x;
  const int letter = a[pair * m + i - 1];
  for (int d = 0; d <= m + n; ++d) {
    int *now = before + d % 3 * wide, *last = before + (d + 2) % 3 * wide, *older = before + (d + 1) % 3 * wide;
    const int j = d - i;
    if (threadIdx.x == 0) now[0] = -d;
    if (j == 0) now[i] = -i;
    if (j >= 1 && j <= n) {
      const int match = older[i - 1] + (letter == b[pair * n + j - 1] ? 1 : -1);
      now[i] = max(max(last[i - 1], last[i]) - 1, match);
      if (i == m && j == n) score[pair] = now[i];
    }
    __syncthreads();
  }
}
