// SPDX-License-Identifier: MIT
#include "lanes/strips.hpp"

#include "lanes/copies.hpp"
#include "lanes/flows.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

namespace cyclotron::lanes {

using namespace recurrence;

namespace {

Affine place_of(const dataflow::Space& space) { return space.place.empty() ? Affine{} : space.place[0]; }

std::optional<std::int64_t> number_of(isl_val* value) {
  std::optional<std::int64_t> result;
  if (value && isl_val_is_int(value) == isl_bool_true) result = isl_val_get_num_si(value);
  isl_val_free(value);
  return result;
}

} // namespace

isl::set places_of(const dataflow::Program& program, const Affine& from) {
  std::optional<isl::set> all;
  for (const dataflow::Rule& r : program.rules) {
    const dataflow::Space& s = program.spaces[static_cast<std::size_t>(r.space)];
    const isl::map to = map_to(*program.context, *program.source, s.coordinates, {place_of(s) - from});
    const isl::set own = to.intersect_domain(r.domain).range();
    all = all ? all->unite(own) : own;
  }
  return all ? *all : place_between(program, 0, -1);
}

isl::set place_between(const dataflow::Program& program, std::int64_t first, std::optional<std::int64_t> last) {
  const Affine place{{{"place'", 1}}, 0};
  std::vector<Condition> conditions = {condition_of(place, Relation::greater_equal, Affine{{}, first})};
  if (last) conditions.push_back(condition_of(place, Relation::less_equal, Affine{{}, *last}));
  return set_where(*program.context, *program.source, {"place'"}, conditions, false);
}

std::optional<Affine> first_element(const dataflow::Program& program) {
  const isl::set places = places_of(program, {});
  if (places.is_empty()) return Affine{};
  if (const auto least = number_of(isl_set_dim_min_val(places.copy(), 0))) return Affine{{}, *least};
  const isl::map least = isl::manage(isl_map_from_pw_aff(isl_set_dim_min(places.copy(), 0)));
  // Where the least place is one of several formulas, one that is never above it does too.
  for (const Piece& piece : pieces_of(least, {}, *program.source).value_or(std::vector<Piece>{})) {
    const isl::set from_there = places_of(program, piece.point[0]);
    if (from_there.is_subset(place_between(program, 0, std::nullopt))) return piece.point[0];
  }
  return std::nullopt;
}

std::optional<std::int64_t> most_elements(const dataflow::Program& program, const Affine& from) {
  const isl::set places = places_of(program, from);
  if (places.is_empty()) return 0;
  const auto last = number_of(isl_set_dim_max_val(places.copy(), 0));
  if (!last) return std::nullopt;
  return *last + 1;
}

Strips order_of_strips(const Program& program) {
  bool rises = false, falls = false;
  for (const Flow& f : flows_of(program.flow)) {
    if (program.copies[number_of_value(program.flow, f.what.space, f.what.value)]) continue;
    const auto moves = [&](Relation relation) {
      return !part_where(program.flow, f, {condition_of(f.beyond, relation, {})}).is_empty();
    };
    rises |= f.places ? *f.places > 0 : moves(Relation::greater);
    falls |= f.places ? *f.places < 0 : moves(Relation::less);
  }
  if (rises && falls) return Strips::inside;
  if (rises) return Strips::rising;
  return falls ? Strips::falling : Strips::parallel;
}

} // namespace cyclotron::lanes
