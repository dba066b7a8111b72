// SPDX-License-Identifier: MIT
#include "recurrence/affine_maps.hpp"

#include <isl/aff.h>
#include <isl/constraint.h>

#include <algorithm>

namespace cyclotron::recurrence {

isl::map map_to(const IslContext& context, const Program& program, const std::vector<std::string>& names,
                const Point& point) {
  std::vector<std::string> all = names;
  std::vector<Condition> conditions;
  for (std::size_t i = 0; i < point.size(); ++i) {
    all.push_back("o" + std::to_string(i) + "'"); // no name of the language has a prime
    conditions.push_back(condition_of(Affine{{{all.back(), 1}}, 0}, Relation::equal, point[i]));
  }
  isl_map* map = isl_map_from_range(set_where(context, program, all, conditions, false).release());
  map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(names.size()));
  return isl::manage(map);
}

isl::set shifted(const isl::set& set, std::size_t dimension, std::int64_t distance) {
  isl_multi_aff* move = isl_multi_aff_identity(isl_space_map_from_set(isl_set_get_space(set.get())));
  isl_aff* aff = isl_multi_aff_get_aff(move, static_cast<int>(dimension));
  aff = isl_aff_add_constant_si(aff, static_cast<int>(-distance));
  move = isl_multi_aff_set_aff(move, static_cast<int>(dimension), aff);
  return isl::manage(isl_set_preimage_multi_aff(set.copy(), move));
}

isl::set without(const isl::set& set, const std::vector<std::size_t>& dimensions) {
  std::vector<std::size_t> falling = dimensions;
  std::sort(falling.rbegin(), falling.rend());
  isl_set* result = set.copy();
  for (const std::size_t d : falling) result = isl_set_project_out(result, isl_dim_set, static_cast<unsigned>(d), 1);
  return isl::manage(result);
}

std::int64_t whole(isl_val* value) {
  const std::int64_t result = isl_val_get_num_si(value);
  isl_val_free(value);
  return result;
}

namespace {

// The condition behind a constraint without divisions.
Condition condition_of(isl_constraint* constraint, const std::vector<std::string>& names, const Program& program) {
  Condition result;
  result.kind =
      isl_constraint_is_equality(constraint) == isl_bool_true ? Condition::Kind::zero : Condition::Kind::nonnegative;
  result.affine.constant = whole(isl_constraint_get_constant_val(constraint));
  const auto add = [&](isl_dim_type type, int at, const std::string& name) {
    const std::int64_t c = whole(isl_constraint_get_coefficient_val(constraint, type, at));
    if (c != 0) result.affine.terms[name] = c;
  };
  for (std::size_t i = 0; i < program.sizes.size(); ++i) add(isl_dim_param, static_cast<int>(i), program.sizes[i].name);
  for (std::size_t i = 0; i < names.size(); ++i) add(isl_dim_set, static_cast<int>(i), names[i]);
  return result;
}

bool divides(isl_constraint* constraint) {
  for (int d = 0; d < isl_constraint_dim(constraint, isl_dim_div); ++d)
    if (isl_constraint_involves_dims(constraint, isl_dim_div, static_cast<unsigned>(d), 1)) return true;
  return false;
}

struct Collected {
  const std::function<Condition(isl_constraint*)>& read;
  std::vector<std::vector<Condition>> alternatives;
};

isl_stat collect_constraint(isl_constraint* constraint, void* user) {
  Collected& to = *static_cast<Collected*>(user);
  to.alternatives.back().push_back(to.read(constraint));
  isl_constraint_free(constraint);
  return isl_stat_ok;
}

isl_stat collect_basic_set(isl_basic_set* basic, void* user) {
  basic = isl_basic_set_remove_redundancies(basic);
  static_cast<Collected*>(user)->alternatives.emplace_back();
  isl_basic_set_foreach_constraint(basic, collect_constraint, user);
  isl_basic_set_free(basic);
  return isl_stat_ok;
}

// `e // d`, which isl has as e / d.
isl_aff* division_of(isl_aff* aff, int which) { return isl_aff_floor(isl_aff_get_div(aff, which)); }

// The values of a formula on a set: the least and the largest, where it is bounded.
std::optional<std::pair<std::int64_t, std::int64_t>> range_on(const isl::set& domain, isl_aff* formula) {
  isl_map* to = isl_map_from_aff(formula);
  const isl::set values = isl::manage(isl_set_apply(domain.copy(), to));
  const isl::val least = values.dim_min_val(0), most = values.dim_max_val(0);
  if (!least.is_int() || !most.is_int()) return std::nullopt;
  return std::pair(std::int64_t{least.get_num_si()}, std::int64_t{most.get_num_si()});
}

constexpr std::int64_t most_values = 4; // of a division, before its pieces are too many

// A division `e // d` in the formulas that has several values on the domain; with the least and the largest of them.
struct Division {
  isl_aff* formula = nullptr; // the caller's
  std::int64_t first = 0, last = 0;
};
std::optional<Division> undecided_division(const isl::set& domain, isl_multi_aff* function, bool& bounded) {
  for (int i = 0; i < isl_multi_aff_dim(function, isl_dim_out); ++i) {
    const isl::aff aff = isl::manage(isl_multi_aff_get_aff(function, i));
    for (int d = 0; d < isl_aff_dim(aff.get(), isl_dim_div); ++d) {
      if (isl_aff_involves_dims(aff.get(), isl_dim_div, static_cast<unsigned>(d), 1) == isl_bool_false) continue;
      const auto range = range_on(domain, division_of(aff.get(), d));
      bounded &= range && range->second - range->first < most_values;
      if (!bounded) return std::nullopt;
      if (range->first != range->second) return Division{division_of(aff.get(), d), range->first, range->second};
    }
  }
  return std::nullopt;
}

// Each division has one value on the domain.
std::optional<Affine> affine_of(isl_aff* aff, const isl::set& domain, const std::vector<std::string>& names,
                                const Program& program) {
  Affine result;
  const bool fits = whole(isl_aff_get_denominator_val(aff)) == 1;
  if (fits) {
    result.constant = whole(isl_aff_get_constant_val(aff));
    for (int d = 0; d < isl_aff_dim(aff, isl_dim_div); ++d)
      if (isl_aff_involves_dims(aff, isl_dim_div, static_cast<unsigned>(d), 1) == isl_bool_true)
        result.constant +=
            whole(isl_aff_get_coefficient_val(aff, isl_dim_div, d)) * range_on(domain, division_of(aff, d))->first;
    const auto add = [&](isl_dim_type type, std::size_t at, const std::string& name) {
      const std::int64_t c = whole(isl_aff_get_coefficient_val(aff, type, static_cast<int>(at)));
      if (c != 0) result.terms[name] = c;
    };
    for (std::size_t i = 0; i < program.sizes.size(); ++i) add(isl_dim_param, i, program.sizes[i].name);
    for (std::size_t i = 0; i < names.size(); ++i) add(isl_dim_in, i, names[i]);
  }
  isl_aff_free(aff);
  return fits ? std::optional(result) : std::nullopt;
}

struct CollectedPieces {
  const std::vector<std::string>& names;
  const Program& program;
  std::vector<Piece> pieces;
  bool fits = true;
};

// A division that has a few values cuts the domain, so that each part has formulas: where i is split into 4*io + ii,
// the element before ii is ii-1 in the same part, or 3 in the one before.
void collect_parts(const isl::set& domain, isl_multi_aff* function, CollectedPieces& to) {
  if (domain.is_empty()) return;
  bool bounded = true;
  const auto division = undecided_division(domain, function, bounded);
  to.fits &= bounded;
  if (!bounded) return;
  if (division) {
    for (std::int64_t v = division->first; v <= division->last; ++v) {
      isl_aff* value = isl_aff_val_on_domain(isl_aff_get_domain_local_space(division->formula),
                                             isl_val_int_from_si(domain.ctx().get(), v));
      isl_set* there = isl_set_from_basic_set(isl_aff_eq_basic_set(isl_aff_copy(division->formula), value));
      const isl::set part = domain.intersect(isl::manage(there));
      collect_parts(isl::manage(isl_set_coalesce(isl_set_remove_redundancies(part.copy()))), function, to);
    }
    isl_aff_free(division->formula);
    return;
  }
  Piece piece{domain, {}};
  for (int i = 0; i < isl_multi_aff_dim(function, isl_dim_out); ++i) {
    const auto affine = affine_of(isl_multi_aff_get_aff(function, i), domain, to.names, to.program);
    to.fits &= affine.has_value();
    piece.point.push_back(affine.value_or(Affine{}));
  }
  to.pieces.push_back(std::move(piece));
}

isl_stat collect_piece(isl_set* domain, isl_multi_aff* function, void* user) {
  collect_parts(isl::manage(domain), function, *static_cast<CollectedPieces*>(user));
  isl_multi_aff_free(function);
  return isl_stat_ok;
}

} // namespace

std::optional<std::vector<std::vector<Condition>>>
alternatives_of(const isl::set& set, const std::vector<std::string>& names, const Program& program) {
  bool divided = false;
  auto alternatives = read_constraints(set, false, [&](isl_constraint* constraint) {
    divided |= divides(constraint);
    return divided ? Condition{} : condition_of(constraint, names, program);
  });
  return divided ? std::nullopt : std::optional(std::move(alternatives));
}

std::vector<std::vector<Condition>> read_constraints(const isl::set& set, bool explicit_divisions,
                                                     const std::function<Condition(isl_constraint*)>& read) {
  Collected collected{read, {}};
  isl_set* disjoint = isl_set_make_disjoint(isl_set_coalesce(isl_set_remove_redundancies(set.copy())));
  if (explicit_divisions) disjoint = isl_set_compute_divs(disjoint);
  isl_set_foreach_basic_set(disjoint, collect_basic_set, &collected);
  isl_set_free(disjoint);
  return std::move(collected.alternatives);
}

std::optional<std::vector<Piece>> pieces_of(const isl::map& map, const std::vector<std::string>& names,
                                            const Program& program) {
  CollectedPieces collected{names, program, {}};
  isl_pw_multi_aff* function = isl_pw_multi_aff_coalesce(isl_pw_multi_aff_from_map(map.copy()));
  isl_pw_multi_aff_foreach_piece(function, collect_piece, &collected);
  isl_pw_multi_aff_free(function);
  if (!collected.fits) return std::nullopt;
  return std::move(collected.pieces);
}

} // namespace cyclotron::recurrence
