// SPDX-License-Identifier: MIT
// Symmetric positive definite matrices, and their Cholesky factors as CXSparse computes them.
#pragma once

#include "bench.hpp"
#include "sparse.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cyclotron::bench {

struct SpdMatrix {
  std::string name;
  std::function<Sparse()> make; // csc, all of it, in a fill-reducing order
  bool slow = false;            // left out by --quick
};

std::vector<SpdMatrix> spd_matrices(const Bench& bench);
std::vector<SpdMatrix> large_spd_matrices(); // whose factors are larger than a cache of 32 MB

Sparse cholesky_factor(const Sparse& matrix); // csc, columns sorted

} // namespace cyclotron::bench
