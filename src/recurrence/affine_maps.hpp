// SPDX-License-Identifier: MIT
// Affine functions between index tuples as isl maps, and back: what lowering to iteration spaces is made of.
#pragma once

#include "recurrence/polyhedra.hpp"

#include <isl/constraint.h>

#include <functional>
#include <utility>

namespace cyclotron::recurrence {

using Point = std::vector<Affine>; // one formula per coordinate

// { [names] -> [point] }, everywhere.
isl::map map_to(const IslContext& context, const Program& program, const std::vector<std::string>& names,
                const Point& point);

std::int64_t whole(isl_val* value); // takes it

// The set moved by `distance` along one dimension.
isl::set shifted(const isl::set& set, std::size_t dimension, std::int64_t distance);

// The set without one dimension, whatever its value was.
isl::set without(const isl::set& set, const std::vector<std::size_t>& dimensions);

// A set as alternatives of conditions on its named dimensions and the sizes; nothing where some need a division.
std::optional<std::vector<std::vector<Condition>>>
alternatives_of(const isl::set& set, const std::vector<std::string>& names, const Program& program);

// The constraints of a set, as alternatives that exclude each other, each read by `read`. Divisions stand in them where
// the set needs some; `explicit_divisions`: each of them with a formula.
std::vector<std::vector<Condition>> read_constraints(const isl::set& set, bool explicit_divisions,
                                                     const std::function<Condition(isl_constraint*)>& read);

// A single-valued map in pieces, each one formula per output; nothing where it is not affine.
struct Piece {
  isl::set domain;
  Point point;
};
std::optional<std::vector<Piece>> pieces_of(const isl::map& map, const std::vector<std::string>& names,
                                            const Program& program);

} // namespace cyclotron::recurrence
