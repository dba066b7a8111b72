// SPDX-License-Identifier: MIT
// Formulas along the elements of one vector: a number in the first lane, and a step from each lane to the next.
#pragma once

#include "code/ir.hpp"
#include "lanes/time_and_place.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::lower {

// `(base + step * lane) / divisor`, which is whole in every lane that computes.
struct Along {
  code::Expr base;
  std::int64_t step = 0;
  std::int64_t divisor = 1;
};

// Where and when a vector is: what the names of time, place and sizes are there.
struct Here {
  std::map<std::string, code::Expr> names;
  code::Expr first_place; // of its first lane
  std::int64_t place_step = 1;
};

// In names of time, place and sizes.
Along along(const recurrence::Affine& formula, const Here& here);

// Formulas in the coordinates of a space.
class Coordinates {
public:
  Coordinates(const lanes::Program& program, int space);
  Along at(const recurrence::Affine& formula, const Here& here) const;

private:
  std::vector<std::string> names_;
  std::vector<lanes::Coordinate> found_; // in names of time and place
};

// The value as a vector, or as a number where it is the same in all lanes.
code::Expr vector_of(const Along& value);
code::Expr number_of(const Along& value);
bool is_uniform(const Along& value);

// The lanes from the first to the last one that a bound allows; a bound may be missing. What bounds come to may be far
// from any lane, so they are compared as numbers of a small type.
code::Expr lanes_between(const code::Expr& first, const code::Expr& last, std::int64_t lanes, code::Scalar small);

// Where an index is inside of a dimension of that extent: one truth value where it is the same in all lanes, else one
// for each of them.
code::Expr inside_of(const Along& index, const code::Expr& extent, std::int64_t lanes);

// The place of an element in a row-major box: `index` for all lanes where `uniform`, else with a stride or, where that
// does not do, as a vector.
struct Place {
  code::Expr index;
  code::Expr stride; // missing where uniform, or where the index is a vector
  bool uniform = false;
};
Place place_in(const std::vector<Along>& indices, const std::vector<code::Expr>& extents);

code::Expr load_at(const std::string& memory, const Place& place, const code::Expr& mask);
code::Statement store_at(const std::string& memory, const Place& place, const code::Expr& value,
                         const code::Expr& mask);

} // namespace cyclotron::lower
