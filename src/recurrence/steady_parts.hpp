// SPDX-License-Identifier: MIT
// Where formulas in indices do not depend on the indices: what tells a uniform dependence from one that is not.
//
//   1 - 2*p on 0 <= p <= 1   -->   1 where p == 0, -1 where p == 1
//   p - i   on 0 <= i < n    -->   nothing: it has as many values as there are points
#pragma once

#include "recurrence/affine_maps.hpp"

namespace cyclotron::recurrence {

// A part of a set on which all formulas have one value each, which is a number or a formula in the sizes.
struct SteadyPart {
  isl::set domain;
  Point value;
};

// The set in disjoint parts; nothing where there are more than a few.
std::optional<std::vector<SteadyPart>> steady_parts(const IslContext& context, const Program& program,
                                                    const isl::set& set, const std::vector<std::string>& names,
                                                    const Point& formulas);

// Two points of the set, at the same sizes, where some formula differs: the names, and the names with a prime.
std::optional<Witness> unsteady_points(const IslContext& context, const Program& program, const isl::set& set,
                                       const std::vector<std::string>& names, const Point& formulas);

// A single-valued map from a space to itself in pieces that each lead at one distance, `(i, j) -> (i-1, j+2)`, as far
// as a few such pieces are enough; else as pieces_of has it.
std::optional<std::vector<Piece>> uniform_pieces_of(const IslContext& context, const isl::map& map,
                                                    const std::vector<std::string>& names, const Program& program);

} // namespace cyclotron::recurrence
