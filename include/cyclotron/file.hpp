// SPDX-License-Identifier: MIT
// Tensors from and to files: Matrix Market `.mtx`, FROSTT `.tns` and NumPy `.npy`, each also gzipped (`.gz` behind it).
#pragma once

#include "cyclotron/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron {

struct ReadOptions {
  Type type = f64;     // of the values; one that it cannot hold is an Error
  int index_bits = 32; // of positions and coordinates, 32 or 64
  // The dimensions where they are known, and else -1. A FROSTT file does not state its own; without these they are the
  // largest coordinates. With one dimension, a matrix of one row or column is read as a vector.
  std::vector<std::int64_t> dims = {};
};

// What a file holds, in this format: with `const Output A = read("a.mtx", csr);` it is an input of a kernel as
// `{"A", A.view()}`. Symmetric matrices are read with both halves; complex numbers are a last dimension of size 2.
Output read(const std::string& path, const Format& format = dense, const ReadOptions& options = {});

// A failure leaves what the file held before.
void write(const std::string& path, const View& tensor);
void write(const std::string& path, const Output& tensor);

} // namespace cyclotron
