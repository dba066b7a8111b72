// SPDX-License-Identifier: MIT
#include "recurrence/steady_parts.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

namespace cyclotron::recurrence {

namespace {

constexpr std::size_t most_parts = 16;

bool depends_on_sizes_only(const Point& formulas, const Program& program) {
  return std::all_of(formulas.begin(), formulas.end(), [&](const Affine& f) {
    return std::all_of(f.terms.begin(), f.terms.end(), [&](const auto& t) { return program.is_size(t.first); });
  });
}

// The points at which the formulas have these values.
isl::set where_equal(const IslContext& context, const Program& program, const std::vector<std::string>& names,
                     const Point& formulas, const Point& values) {
  std::vector<Condition> conditions;
  for (std::size_t f = 0; f < formulas.size(); ++f)
    conditions.push_back(condition_of(formulas[f], Relation::equal, values[f]));
  return set_where(context, program, names, conditions, false);
}

} // namespace

std::optional<std::vector<SteadyPart>> steady_parts(const IslContext& context, const Program& program,
                                                    const isl::set& set, const std::vector<std::string>& names,
                                                    const Point& formulas) {
  std::vector<SteadyPart> parts;
  if (set.is_empty()) return parts;
  if (depends_on_sizes_only(formulas, program)) return std::vector<SteadyPart>{{set, formulas}};
  const isl::map to_values = map_to(context, program, names, formulas);
  for (isl::set rest = set; !rest.is_empty();) {
    // The least value for all sizes: a formula in them, or several, each for some sizes.
    isl_set* values = isl_set_apply(rest.copy(), to_values.copy());
    if (isl_set_is_bounded(values) != isl_bool_true) {
      isl_set_free(values);
      return std::nullopt;
    }
    const auto least = pieces_of(isl::manage(isl_map_lexmin(isl_map_from_range(values))), {}, program);
    if (!least) return std::nullopt;
    for (const Piece& p : *least) {
      const isl::set part = rest.intersect(where_equal(context, program, names, formulas, p.point));
      if (part.is_empty()) continue;
      parts.push_back({isl::manage(isl_set_coalesce(part.copy())), p.point});
      rest = rest.subtract(part);
    }
    if (parts.size() > most_parts) return std::nullopt;
  }
  return parts;
}

std::optional<Witness> unsteady_points(const IslContext& context, const Program& program, const isl::set& set,
                                       const std::vector<std::string>& names, const Point& formulas) {
  std::vector<std::string> both = names;
  std::map<std::string, Affine> primed;
  for (const std::string& n : names) {
    both.push_back(n + "'");
    primed[n] = Affine{{{both.back(), 1}}, 0};
  }
  const isl::set pairs = isl::manage(isl_set_flat_product(set.copy(), set.copy()));
  for (const Affine& f : formulas) {
    const Condition differ = condition_of(f, Relation::less, substitute(f, primed));
    const isl::set apart = pairs.intersect(set_where(context, program, both, {differ}, false));
    if (!apart.is_empty()) return find_witness(apart, program, both);
  }
  return std::nullopt;
}

std::optional<std::vector<Piece>> uniform_pieces_of(const IslContext& context, const isl::map& map,
                                                    const std::vector<std::string>& names, const Program& program) {
  const auto pieces = pieces_of(map, names, program);
  if (!pieces) return std::nullopt;
  std::vector<Piece> result;
  for (const Piece& piece : *pieces) {
    Point distance;
    for (std::size_t n = 0; n < names.size(); ++n) distance.push_back(piece.point[n] - Affine{{{names[n], 1}}, 0});
    const bool is_uniform = depends_on_sizes_only(distance, program);
    const auto parts = is_uniform ? std::nullopt : steady_parts(context, program, piece.domain, names, distance);
    if (!parts || parts->size() == 1) { // with one part the formula as it stands leads at one distance
      result.push_back(piece);
      continue;
    }
    for (const SteadyPart& part : *parts) {
      Piece uniform{part.domain, {}};
      for (std::size_t n = 0; n < names.size(); ++n)
        uniform.point.push_back(Affine{{{names[n], 1}}, 0} + part.value[n]);
      result.push_back(std::move(uniform));
    }
  }
  return result;
}

} // namespace cyclotron::recurrence
