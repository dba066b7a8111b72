// SPDX-License-Identifier: MIT
// Dense arrays from one dimension order to another: row-major, column-major and everything between.
#pragma once

#include "tensor/tensor.hpp"

namespace cyclotron::tensor {

// `values` hold every element with dimension from[0] outermost; the result has dimension to[0] outermost.
Values relayout(Values values, const std::vector<std::int64_t>& dims, const std::vector<int>& from,
                const std::vector<int>& to);

// Last dimension first, as Fortran stores arrays.
std::vector<int> column_major(int rank);
std::vector<int> row_major(int rank);

// How far apart neighbours along each dimension are where order[0] is outermost.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& dims, const std::vector<int>& order);

} // namespace cyclotron::tensor
