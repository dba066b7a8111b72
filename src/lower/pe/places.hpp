// SPDX-License-Identifier: MIT
// Sets of points at fixed sizes, as numbers.
#pragma once

#include "dataflow/ir.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace cyclotron::lower {

// The least and the largest place of any point along an axis; the range 0 .. -1 where there are no points.
std::pair<std::int64_t, std::int64_t> range_of_places(const dataflow::Program& program, std::size_t axis);

std::vector<std::int64_t> numbers_of(const isl::point& point);

// All points of a set; nothing where there are more than `most`.
std::optional<std::vector<std::vector<std::int64_t>>> points_of(const isl::set& set, int most);

} // namespace cyclotron::lower
