// SPDX-License-Identifier: MIT
// Brings entries into storage order with each coordinate tuple once, as packing needs them.
#pragma once

#include "tensor/tensor.hpp"

namespace cyclotron::tensor {

// Sorts by dimension order[0], then order[1], ...; sums repeated coordinates in the order they were given (or-s
// bools). False, with an error, where an integer sum overflows. The coordinates must be in range and spelled out.
bool sort_and_sum(Entries& entries, const std::vector<int>& order, Diagnostics& diagnostics);

} // namespace cyclotron::tensor
