// SPDX-License-Identifier: MIT
#include "lanes/accesses.hpp"

#include "lanes/time_and_place.hpp"

#include <isl/map.h>

#include <algorithm>
#include <cstdlib>

namespace cyclotron::lanes {

using namespace recurrence;

Lie lie_of(const Program& program, int space, const Point& indices) {
  const auto found = coordinates_at(program, space);
  const auto& names = program.flow.spaces[static_cast<std::size_t>(space)].coordinates;
  // So much an index changes from a place to the next at one time, as a fraction: all have one divisor.
  std::int64_t divisor = 1;
  for (const Coordinate& c : *found) divisor *= c.divisor;
  bool moves = false, together = true;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    std::int64_t change = 0;
    for (std::size_t n = 0; n < names.size(); ++n)
      change += indices[i].coefficient(names[n]) * (*found)[n].numerator.coefficient(place_name) *
                (divisor / (*found)[n].divisor);
    moves |= change != 0;
    together &= change == 0 || (i + 1 == indices.size() && std::abs(change) == divisor);
  }
  if (!moves) return Lie::same;
  return together ? Lie::together : Lie::apart;
}

InTurns spaces_in_turns(const Program& program) {
  InTurns spaces{};
  for (const dataflow::Space& s : program.flow.spaces) {
    const auto& source = *program.flow.source;
    const isl::map time = map_to(*program.flow.context, source, s.coordinates, s.time).intersect_domain(s.domain);
    const isl::map place = map_to(*program.flow.context, source, s.coordinates, s.place);
    if (!time.reverse().apply_range(place).is_single_valued()) continue;
    ++spaces[spaces.size() - 1 - std::min(s.coordinates.size(), spaces.size() - 1)];
  }
  spaces.back() = 0; // single points
  return spaces;
}

std::size_t accesses_apart(const Program& program) {
  std::size_t count = 0;
  for (const dataflow::Rule& rule : program.flow.rules)
    ir::walk<ExprNode>(rule.expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (!a || dataflow::reference_of(*a, program.flow)) return;
      Point indices;
      for (const Expr& index : a->indices) indices.push_back(accepted_affine(index, *program.flow.source));
      count += lie_of(program, rule.space, indices) == Lie::apart;
    });
  for (const dataflow::Export& e : program.flow.exports) count += lie_of(program, e.space, e.indices) == Lie::apart;
  return count;
}

} // namespace cyclotron::lanes
