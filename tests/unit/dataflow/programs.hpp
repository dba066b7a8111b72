// SPDX-License-Identifier: MIT
// Programs in the text form that several tests share, exactly as they are printed.
#pragma once

#include <string>

namespace cyclotron::dataflow {

inline const std::string matmul_declarations = R"(tensor A(n,p)
tensor B(p,m)
tensor C(n,m)
)";

inline const std::string output_stationary = matmul_declarations + R"(axes i, j

space C(i, j, k) : 0 <= i < n, 0 <= j < m, 0 <= k < p
  place (i, j)
  time (k)
  (i, 0, k)_A <- boundary A(i,k)
  (i, j, k)_A <- (i, j-1, k)_A : 1 <= j
  (0, j, k)_B <- boundary B(k,j)
  (i, j, k)_B <- (i-1, j, k)_B : 1 <= i
  (i, j, 0)_C <- (i, j, 0)_A * (i, j, 0)_B
  (i, j, k)_C <- (i, j, k-1)_C + (i, j, k)_A * (i, j, k)_B : 1 <= k
  C(i,j) <- (i, j, p-1)_C
)";

// The weights are A, kept by each PE; a step of its own loads them before the others.
inline const std::string weight_stationary = matmul_declarations + R"(axes i, k

space load(i, k) : 0 <= i < n, 0 <= k < p
  place (i, k)
  time (0, 0)
  (i, k)_W <- A(i,k)

space C(i, j, k) : 0 <= i < n, 0 <= j < m, 0 <= k < p
  place (i, k)
  time (1, j)
  (0, j, k)_B <- boundary B(k,j)
  (i, j, k)_B <- (i-1, j, k)_B : 1 <= i
  (i, j, 0)_C <- (i, 0)_W^load * (i, j, 0)_B
  (i, j, k)_C <- (i, j, k-1)_C + (i, k)_W^load * (i, j, k)_B : 1 <= k
  C(i,j) <- (i, j, p-1)_C
)";

// The weights are shifted down through the rows, those of the last row first.
inline const std::string shifted_weights = matmul_declarations + R"(axes i, k

space load(i, r, k) : 0 <= i <= r < n, 0 <= k < p
  place (i, k)
  time (0, n-r-1)
  (0, r, k)_W <- boundary A(r,k)
  (i, r, k)_W <- (i-1, r, k)_W : 1 <= i

space C(i, j, k) : 0 <= i < n, 0 <= j < m, 0 <= k < p
  place (i, k)
  time (1, j)
  (0, j, k)_B <- boundary B(k,j)
  (i, j, k)_B <- (i-1, j, k)_B : 1 <= i
  (i, j, 0)_C <- (i, i, 0)_W^load * (i, j, 0)_B
  (i, j, k)_C <- (i, j, k-1)_C + (i, i, k)_W^load * (i, j, k)_B : 1 <= k
  C(i,j) <- (i, j, p-1)_C
)";

// Tiles of C, 2 by 3, one after the other.
inline const std::string tiles_in_passes = matmul_declarations + R"(axes ii, jj
passes 2

space C(io, jo, ii, jj, k) : 0 <= ii <= 1, 0 <= jj <= 2, 0 <= k < p, 0 <= ii + 2*io, ii + 2*io < n, 0 <= jj + 3*jo, jj + 3*jo < m
  place (ii, jj)
  time (io, jo, k)
  (io, jo, ii, 0, k)_A <- boundary A(ii+2*io,k)
  (io, jo, ii, jj, k)_A <- (io, jo, ii, jj-1, k)_A : 1 <= jj
  (io, jo, 0, jj, k)_B <- boundary B(k,jj+3*jo)
  (io, jo, 1, jj, k)_B <- (io, jo, 0, jj, k)_B
  (io, jo, ii, jj, 0)_C <- (io, jo, ii, jj, 0)_A * (io, jo, ii, jj, 0)_B
  (io, jo, ii, jj, k)_C <- (io, jo, ii, jj, k-1)_C + (io, jo, ii, jj, k)_A * (io, jo, ii, jj, k)_B : 1 <= k
  C(ii+2*io,jj+3*jo) <- (io, jo, ii, jj, p-1)_C
)";

// B stays, A moves along j, C along k.
inline const std::string input_stationary = matmul_declarations + R"(axes k, j

space C(i, j, k) : 0 <= i < n, 0 <= j < m, 0 <= k < p
  place (k, j)
  time (i)
  (i, 0, k)_A <- boundary A(i,k)
  (i, j, k)_A <- (i, j-1, k)_A : 1 <= j
  (0, j, k)_B <- B(k,j)
  (i, j, k)_B <- (i-1, j, k)_B : 1 <= i
  (i, j, 0)_C <- (i, j, 0)_A * (i, j, 0)_B
  (i, j, k)_C <- (i, j, k-1)_C + (i, j, k)_A * (i, j, k)_B : 1 <= k
  C(i,j) <- (i, j, p-1)_C
)";

// On a torus: PE (i,j) starts with column i+j of A and row i+j of B, then both turn around.
inline const std::string cannon = R"(tensor A(n,n)
tensor B(n,n)
tensor C(n,n)
axes i, j

space C(i, j, t) : 0 <= i < n, 0 <= j < n, 0 <= t < n
  place (i, j)
  time (t)
  (i, j, 0)_A <- A(i,i+j) : i + j < n
  (i, j, 0)_A <- A(i,i+j-n) : n <= i + j
  (i, j, t)_A <- (i, j+1, t-1)_A : 1 <= t, j <= n - 2
  (i, n-1, t)_A <- (i, 0, t-1)_A : 1 <= t
  (i, j, 0)_B <- B(i+j,j) : i + j < n
  (i, j, 0)_B <- B(i+j-n,j) : n <= i + j
  (i, j, t)_B <- (i+1, j, t-1)_B : 1 <= t, i <= n - 2
  (n-1, j, t)_B <- (0, j, t-1)_B : 1 <= t
  (i, j, 0)_C <- (i, j, 0)_A * (i, j, 0)_B
  (i, j, t)_C <- (i, j, t-1)_C + (i, j, t)_A * (i, j, t)_B : 1 <= t
  C(i,j) <- (i, j, n-1)_C
)";

// Only the lower triangle of the product.
inline const std::string lower_triangle = matmul_declarations + R"(axes i, j

space C(i, j, k) : 0 <= j <= i < n, 0 <= k < p, j < m
  place (i, j)
  time (k)
  (i, 0, k)_A <- boundary A(i,k)
  (i, j, k)_A <- (i, j-1, k)_A : 1 <= j
  (i, i, k)_B <- boundary B(k,i)
  (i, j, k)_B <- (i-1, j, k)_B : j < i
  (i, j, 0)_C <- (i, j, 0)_A * (i, j, 0)_B
  (i, j, k)_C <- (i, j, k-1)_C + (i, j, k)_A * (i, j, k)_B : 1 <= k
  C(i,j) <- (i, j, p-1)_C
)";

// L X = B, row i on PE i.
inline const std::string triangular_solve = R"(tensor L(n,n)
tensor B(n)
tensor X(n)
axes i

space X(i, j) : 0 <= j <= i < n
  place (i)
  time (j)
  (i, j)_L <- L(i,j)
  (i, 0)_b <- B(i)
  (i, j)_b <- (i, j-1)_b - (i, j-1)_L * (i, j-1)_x : 1 <= j
  (i, i)_x <- (i, i)_b / (i, i)_L
  (i, j)_x <- (i-1, j)_x : j < i
  X(i) <- (i, i)_x
)";

// The same in two spaces, as in figure 6 of the paper.
inline const std::string two_space_solve = R"(tensor L(n,n)
tensor B(n)
tensor X(n)
axes i

space tri(i, j) : 0 <= j < i < n
  place (i)
  time (j)
  (i, j)_L <- L(i,j)
  (i, i-1)_Xb <- (i-1)_X^diag
  (i, j)_Xb <- (i-1, j)_Xb : j <= i - 2
  (i, 0)_Xa <- (i, 0)_L * (i, 0)_Xb
  (i, j)_Xa <- (i, j-1)_Xa + (i, j)_L * (i, j)_Xb : 1 <= j

space diag(i) : 0 <= i < n
  place (i)
  time (i)
  (i)_L <- L(i,i)
  (i)_B <- B(i)
  (0)_Xa <- 0
  (i)_Xa <- (i, i-1)_Xa^tri : 1 <= i
  (i)_X <- ((i)_B - (i)_Xa) / (i)_L
  X(i) <- (i)_X
)";

// Needleman and Wunsch: a row per PE.
inline const std::string alignment = R"(let gap = 2
tensor X(m)
tensor Y(n)
tensor H(m+1,n+1)
axes i

space H(i, j) : 1 <= i <= m, 1 <= j <= n
  place (i)
  time (j)
  (i, 1)_a <- X(i-1)
  (i, j)_a <- (i, j-1)_a : 2 <= j
  (1, j)_b <- boundary Y(j-1)
  (i, j)_b <- (i-1, j)_b : 2 <= i
  (1, j)_up <- -gap * j
  (i, j)_up <- (i-1, j)_H : 2 <= i
  (i, 1)_left <- -gap * i
  (i, j)_left <- (i, j-1)_H : 2 <= j
  (1, j)_corner <- -gap * (j - 1)
  (i, 1)_corner <- -gap * (i - 1) : 2 <= i
  (i, j)_corner <- (i-1, j-1)_H : 2 <= i, 2 <= j
  (i, j)_H <- max((i, j)_corner + select((i, j)_a == (i, j)_b, 1, -1), (i, j)_up - gap, (i, j)_left - gap)
  H(i,j) <- (i, j)_H

constants
  H(i,0) <- -gap * i : 0 <= i <= m
  H(0,j) <- -gap * j : 1 <= j <= n
)";

// y(o) = sum[k](w(k) * x(2*o+k)) at even places: t = 2*o. Weights stay, sums move on, x moves back by two.
inline const std::string strided_convolution = R"(tensor w(q)
tensor x(2*n+q)
tensor y(2*n)
axes k

space y(t, k) : 0 <= t <= 2*n - 2, 0 <= k < q, t mod 2 == 0
  place (k)
  time (t)
  (0, k)_w <- w(k)
  (t, k)_w <- (t-2, k)_w : 2 <= t
  (t, k)_x <- boundary x(k+t) : q <= k + 2
  (0, k)_x <- boundary x(k) : k <= q - 3
  (t, k)_x <- (t-2, k+2)_x : 2 <= t, k <= q - 3
  (t, 0)_s <- (t, 0)_w * (t, 0)_x
  (t, k)_s <- (t, k-1)_s + (t, k)_w * (t, k)_x : 1 <= k
  y(t) <- (t, q-1)_s
)";

} // namespace cyclotron::dataflow
