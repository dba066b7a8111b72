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

} // namespace cyclotron::dataflow
