// SPDX-License-Identifier: MIT
// A second opinion on what a program means: memoised recursion over the equations as the front end leaves them.
//
// It shares no code with the interpreter: affine expressions are evaluated as they stand, ranges are found by trying
// every value of a box and checking all constraints, types are worked out anew, and isl is not used.
#pragma once

#include "recurrence/ir.hpp"
#include "tensor/tensor.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cyclotron::fuzz {

// Floating-point values in `real`, integers and bools in `whole`.
struct NaiveValue {
  double real = 0;
  std::int64_t whole = 0;
};

// All elements in row-major order; of a stepped tensor the last step.
struct NaiveTensor {
  tensor::ValueType type = tensor::ValueType::f64;
  std::vector<std::int64_t> dims;
  std::vector<NaiveValue> values;
};

struct NaiveResult {
  std::string failure; // "overflow" or "cycle"; then there are no outputs
  std::map<std::string, NaiveTensor> outputs;
};

NaiveResult evaluate_naively(const recurrence::Program& program, const std::map<std::string, std::int64_t>& sizes,
                             const std::map<std::string, tensor::Tensor>& inputs);

// Empty where the tensors agree: integers and bools exactly, f64 to 1e-12 and f32 to 1e-5 relative. NaN equals NaN.
std::string difference(const NaiveTensor& expected, const tensor::Tensor& found);

} // namespace cyclotron::fuzz
