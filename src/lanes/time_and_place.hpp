// SPDX-License-Identifier: MIT
// When and where points are, as maps of isl.
#pragma once

#include "lanes/ir.hpp"

namespace cyclotron::lanes {

// { [coordinates] -> [time, place] }.
isl::map time_and_place(const Program& program, int space);

// { x -> y }: times and places of which y is at the same place; later than x, or, else, at the same time or earlier.
isl::map later_than(const Program& program, bool later);

// A coordinate from time and place: `numerator / divisor`, which is whole at every point of the space. The names in the
// numerator are those of time_names, "place'" and sizes.
struct Coordinate {
  recurrence::Affine numerator;
  std::int64_t divisor = 1;
};
std::vector<std::string> time_names(const Program& program);
constexpr const char* place_name = "place'";

// A formula in coordinates of these names, when and where the coordinates are known.
Coordinate formula_at(const recurrence::Affine& formula, const std::vector<std::string>& names,
                      const std::vector<Coordinate>& coordinates);

// All coordinates of a space; nothing where two points may have one time and place.
std::optional<std::vector<Coordinate>> coordinates_at(const Program& program, int space);

} // namespace cyclotron::lanes
