// SPDX-License-Identifier: MIT
// Turns the arguments that a caller names into what a kernel takes, and checks their names, types, shapes and formats.
#pragma once

#include "api/state.hpp"

#include <array>

namespace cyclotron::api {

// A tensor of the program and the arrays for it.
struct BoundTensor {
  const recurrence::TensorDecl* decl = nullptr;
  tensor::Format format; // as stored: with a dimension for steps in front, where all are wanted
  View::Data view;
  std::int64_t stored = 0;
  std::array<std::byte, 8> number{}; // where a number was given: its value, and no array

  bool has_indices() const { return !tensor::is_dense(format); }
  void* values() const {
    return view.values.data ? const_cast<void*>(view.values.data)
                            : const_cast<void*>(static_cast<const void*>(number.data()));
  }
};

struct BoundInputs {
  std::vector<BoundTensor> tensors; // as the program lists them
  std::map<std::string, std::int64_t> sizes;
  int index_bits = 0; // 0 where none has index arrays
};

// All throw Error.

// Looks at names, types, formats and ranks, and finds the sizes.
BoundInputs bind_inputs(const detail::KernelState& kernel, const Arguments& arguments);

// For inputs of shapes and structures that were analysed: no more than comparisons.
BoundInputs bind_inputs_again(const detail::AnalysisState& analysis, const Arguments& arguments);

// Those outputs that are named; in the order of the analysis, without a declaration where it is not.
std::vector<BoundTensor> bind_outputs(const detail::AnalysisState& analysis, const BoundInputs& inputs,
                                      const Arguments& arguments);

} // namespace cyclotron::api
