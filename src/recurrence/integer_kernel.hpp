// SPDX-License-Identifier: MIT
// The whole vectors that a matrix takes to zero: along them an access `x(c+q)` reads the same element again.
//
//   [1 1]   -->   (1, -1)
#pragma once

#include "recurrence/affine_maps.hpp"

#include <cstdint>
#include <vector>

namespace cyclotron::recurrence {

using Vector = std::vector<std::int64_t>;

// The coefficients of the names in every formula; what else stands there is left out.
std::vector<Vector> rows_of(const Point& formulas, const std::vector<std::string>& names);

std::int64_t dot(const Vector& a, const Vector& b);

// Vectors e with `row . e = 0` for all rows, such that every other such vector is a sum of multiples of them.
std::vector<Vector> integer_kernel(const std::vector<Vector>& rows, std::size_t columns);

} // namespace cyclotron::recurrence
