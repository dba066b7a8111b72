// SPDX-License-Identifier: MIT
// Sparse inputs: arrays with 32-bit indices, as kernels and the other libraries borrow them.
#pragma once

#include "backend/c/kernel.hpp"
#include "tensor/tensor.hpp"

#include <string>
#include <vector>

namespace cyclotron::bench {

using Indices = std::vector<std::int32_t>;

struct Sparse {
  std::vector<std::int64_t> dims;
  tensor::Format format;
  std::vector<Indices> positions, coordinates; // by level
  std::vector<double> values;

  std::int32_t rows() const { return static_cast<std::int32_t>(dims[0]); }
  std::int32_t columns() const { return static_cast<std::int32_t>(dims[1]); }
  std::int64_t stored() const { return static_cast<std::int64_t>(values.size()); }
  std::int64_t bytes() const;
  // csr and csc: the compressed level.
  Indices& pos() { return positions[1]; }
  Indices& crd() { return coordinates[1]; }
  const Indices& pos() const { return positions[1]; }
  const Indices& crd() const { return coordinates[1]; }

  backend::c::View view();
  tensor::Tensor tensor() const;
};

Sparse narrow(const tensor::Tensor& t);
Sparse pack(tensor::Entries entries, const std::string& format);
Sparse read(const std::string& path, const std::string& format);
Sparse convert(const Sparse& s, const std::string& format);
Sparse lower_triangle(const Sparse& matrix, const std::string& format);
Sparse upper_triangle(const Sparse& matrix, const std::string& format);

backend::c::View view_of(std::vector<double>& values);
backend::c::View view_of(std::vector<float>& values);
backend::c::View view_of(Indices& values);

} // namespace cyclotron::bench
