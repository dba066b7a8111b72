// SPDX-License-Identifier: MIT
// How much memory the parts of a tensor take.
#pragma once

#include "tensor/tensor.hpp"

namespace cyclotron::tensor {

// Of every fiber of a level, with all that stands below it, as it is stored: 8 bytes for a coordinate, a position or a
// word of bits, and what a value takes.
std::vector<std::int64_t> fiber_bytes(const Tensor& tensor, std::size_t level);

} // namespace cyclotron::tensor
