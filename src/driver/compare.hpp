// SPDX-License-Identifier: MIT
// Whether two sets of outputs are the same: integers exactly, floating-point numbers up to rounding.
#pragma once

#include "tensor/tensor.hpp"

#include <map>
#include <set>
#include <string>

namespace cyclotron::driver {

struct Comparison {
  double largest = 0;  // difference, relative to the largest of 1, the value, and 1e-4 of its tensor's largest value
  double allowed = 0;  // by the type that rounds most
  std::string problem; // empty, or the first element that differs by more
};

// Outputs in `left_out` are not compared.
Comparison compare(const std::map<std::string, tensor::Tensor>& computed,
                   const std::map<std::string, tensor::Tensor>& expected, const std::set<std::string>& left_out = {});

} // namespace cyclotron::driver
