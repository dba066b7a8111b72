// SPDX-License-Identifier: MIT
// Tensors with dimensions split into quotient and remainder, and back.
#pragma once

#include "lower/stream/tiles.hpp"
#include "tensor/tensor.hpp"

namespace cyclotron::driver {

// Coordinate c of a dimension that is split by s becomes c / s and c % s. `format` is that of the result.
std::optional<tensor::Tensor> split_tensor(const tensor::Tensor& tensor, const lower::StreamSplit& split,
                                           const tensor::Format& format, Diagnostics& diagnostics);

// `dims` are those before splitting.
std::optional<tensor::Tensor> join_tensor(const tensor::Tensor& tensor, const lower::StreamSplit& split,
                                          const std::vector<std::int64_t>& dims, const tensor::Format& format,
                                          Diagnostics& diagnostics);

} // namespace cyclotron::driver
