// SPDX-License-Identifier: MIT
#include "lower/code/worker_shares.hpp"

#include <isl/set.h>

namespace cyclotron::lower {

namespace {

constexpr std::size_t most_shares = 3; // loops: the code of each is compiled

isl::set parameters_of(const isl::set& points) { return isl::manage(isl_set_params(points.copy())); }

// { [value] } of the worker's parameter.
isl::set as_values(const Worker& worker, const isl::set& parameters) {
  isl_set* points = isl_set_from_params(parameters.copy());
  const int at = isl_set_find_dim_by_name(points, isl_dim_param, worker.name.c_str());
  if (at < 0) { // any value
    points = isl_set_add_dims(points, isl_dim_set, 1);
    return isl::manage(points);
  }
  return isl::manage(isl_set_move_dims(points, isl_dim_set, 0, isl_dim_param, static_cast<unsigned>(at), 1));
}

// Appends the parts of the set that have no gaps: false where they do, or are too many.
bool add_ranges(const isl::set& values, std::vector<isl::set>& to) {
  isl_set* apart = isl_set_make_disjoint(isl_set_coalesce(values.copy()));
  isl_basic_set_list* list = isl_set_get_basic_set_list(apart);
  isl_set_free(apart);
  if (!list) throw isl::exception();
  bool without_gaps = true;
  for (int i = 0; i < isl_basic_set_list_n_basic_set(list); ++i) {
    isl_basic_set* part = isl_basic_set_list_get_basic_set(list, i);
    without_gaps &= isl_basic_set_dim(part, isl_dim_div) == 0;
    to.push_back(isl::manage(isl_set_from_basic_set(part)));
  }
  isl_basic_set_list_free(list);
  return without_gaps && to.size() <= most_shares;
}

} // namespace

std::optional<std::vector<isl::set>> shares_of(const Worker& worker, const std::vector<StripVisit>& parts) {
  std::optional<isl::set> whole, some;
  for (const StripVisit& p : parts) {
    std::optional<isl::set>& workers = p.all ? whole : some;
    const isl::set own = as_values(worker, parameters_of(p.visit.points));
    workers = workers ? workers->unite(own) : own;
  }
  std::vector<isl::set> shares;
  if (whole && some) whole = whole->subtract(*some);
  if (whole && !add_ranges(*whole, shares)) return std::nullopt;
  if (some && !add_ranges(*some, shares)) return std::nullopt;
  return shares;
}

isl::set with_gaps_filled(const isl::set& values) {
  isl_set* const whole = isl_set_remove_divs(values.copy());
  return isl::manage(isl_set_from_basic_set(isl_set_simple_hull(whole)));
}

isl::set as_parameters(const Worker& worker, const isl::set& values) {
  isl_set* points = values.copy();
  const auto parameters = static_cast<unsigned>(isl_set_dim(points, isl_dim_param));
  points = isl_set_move_dims(points, isl_dim_param, parameters, isl_dim_set, 0, 1);
  points = isl_set_set_dim_name(points, isl_dim_param, parameters, worker.name.c_str());
  return isl::manage(isl_set_params(points));
}

std::vector<StripVisit> at_parameters(const std::vector<StripVisit>& parts, const isl::set& parameters) {
  std::vector<StripVisit> left;
  for (StripVisit p : parts) {
    p.visit.points = p.visit.points.intersect_params(parameters);
    p.others_idle.reset();
    if (!p.visit.points.is_empty()) left.push_back(std::move(p));
  }
  return left;
}

} // namespace cyclotron::lower
