// SPDX-License-Identifier: MIT
// Casts of whole value arrays, with a check that each value survives.
#pragma once

#include "tensor/tensor.hpp"

namespace cyclotron::tensor {

// The values as another type. Where one cannot be (see convert_type), its position is left in `failed` and the
// result is of no use; else `failed` is left alone.
Values cast_values(const Values& values, ValueType type, std::int64_t& failed);

} // namespace cyclotron::tensor
