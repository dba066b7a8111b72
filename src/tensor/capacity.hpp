// SPDX-License-Identifier: MIT
// Sizes that may be too large: products that saturate instead of overflowing, and the check before allocating.
#pragma once

#include "support/diagnostics.hpp"
#include "tensor/format.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::tensor {

// Stands for every count that does not fit 63 bits. Multiplied by 0 it is 0 again, so that the extents
// (2^40, 2^40, 0) have 0 elements in whatever order they are multiplied.
constexpr std::int64_t too_many = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_product(std::int64_t a, std::int64_t b);
std::int64_t element_count(const std::vector<std::int64_t>& dims);

// "a" or "an", as the number is spoken: an 8 x 8 tensor, an 11 x 3 one.
std::string_view article_for(std::int64_t number);

// "3 x 4"; "scalar" for rank 0.
std::string describe(const std::vector<std::int64_t>& dims);
// "a 3 x 4 tensor of f64", "a vector of i32 of size 5".
std::string describe(const std::vector<std::int64_t>& dims, ValueType type);

// False, with an error that begins with `what`, where `count` items of `bytes_each` are more than there is.
bool enough_memory(std::int64_t count, std::int64_t bytes_each, const std::string& what, Diagnostics& diagnostics,
                   const std::string& hint = "use a sparse format such as `csr` or `coo`, or smaller sizes");

} // namespace cyclotron::tensor
