// SPDX-License-Identifier: MIT
// Between borrowed arrays and tensors of our own, for what cannot work on borrowed ones: finding structure and the
// interpreter.
#pragma once

#include "api/bind.hpp"
#include "tensor/tensor.hpp"

namespace cyclotron::api {

// `with_values` false: the values are zeros of no particular type; only their number is right.
tensor::Tensor copy_of(const BoundTensor& bound, bool with_values);

// The structure of an output that is not dense, in this width. Throws Error where that is too narrow.
std::shared_ptr<const detail::Structure> structure_of(const std::string& name, tensor::Tensor found, int index_bits);

// Its values at the elements of `structure`, from another tensor of the same shape; zero where that stores none.
void copy_values(const tensor::Tensor& from, const detail::Structure& structure, void* to);

} // namespace cyclotron::api
