// SPDX-License-Identifier: MIT
// Tensors as people want to see them: shape, nonzeros, norms, first entries, a picture of a sparse matrix; or as JSON.
#pragma once

#include "tensor/tensor.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cyclotron::driver {

struct Statistics {
  std::int64_t elements = 0; // product of the dimensions; saturates
  std::int64_t stored = 0;
  std::int64_t nonzeros = 0;
  std::int64_t nans = 0;
  std::int64_t infinite = 0;
  double norm = 0;                  // square root of the sum of squares of the finite values
  double smallest = 0, largest = 0; // of all elements, stored or not; NaN left out
};
Statistics statistics_of(const tensor::Tensor& tensor);

// "40 x 40 f64 csr, 196 nonzeros (12 %)".
std::string headline(const tensor::Tensor& tensor);

// Several lines, indented by two blanks: statistics, first entries, and for a sparse matrix its picture.
std::string describe(const tensor::Tensor& tensor);

nlohmann::ordered_json to_json(const tensor::Tensor& tensor);

// JSON indented by two blanks, what fits a line on one line.
std::string print_json_text(const nlohmann::ordered_json& json, int indent = 0);

} // namespace cyclotron::driver
