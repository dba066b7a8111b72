// SPDX-License-Identifier: MIT
#include "lower/code/visits.hpp"

#include "lanes/time_and_place.hpp"

#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <limits>

namespace cyclotron::lower {

using namespace recurrence;
using lanes::Strips;

namespace {

Affine own(const std::string& name) { return Affine{{{name, 1}}, 0}; }

// The dimension as a parameter of that name.
isl::set as_parameter(const isl::set& set, std::size_t dimension, const std::string& name) {
  isl_set* result = set.copy();
  const auto parameters = static_cast<unsigned>(isl_set_dim(result, isl_dim_param));
  result = isl_set_move_dims(result, isl_dim_param, parameters, isl_dim_set, static_cast<unsigned>(dimension), 1);
  return isl::manage(isl_set_set_dim_name(result, isl_dim_param, parameters, name.c_str()));
}

isl::set in_parameters(isl::set set, const std::vector<std::string>& names) {
  for (std::size_t d = names.size(); d-- > 0;) set = as_parameter(set, d, names[d]);
  return isl::manage(isl_set_params(set.copy()));
}

} // namespace

Visits::Visits(const lanes::Program& program) : program_(program), dimensions_(lanes::time_names(program)) {
  for (const lanes::Component& c : program.time) is_worker_.push_back(c.worker);
  dimensions_.push_back(strip_name);
  is_worker_.push_back(strips_are_workers());
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    if (!is_worker_[d]) coordinates_.push_back(dimensions_[d]);
}

bool Visits::strips_are_workers() const { return program_.strips == Strips::parallel; }

isl::set Visits::points_of(const Happening& h) const {
  // { [times, place] }, then strip and element instead of the place.
  const isl::set at = isl::manage(isl_set_apply(h.domain.copy(), lanes::time_and_place(program_, h.space).release()));
  const std::size_t rank = program_.time.size();
  std::vector<std::string> names = lanes::time_names(program_);
  names.insert(names.end(), {lanes::place_name, strip_name, element_name});
  const std::int64_t elements = program_.shape.elements();
  const Affine place = program_.from + elements * own(strip_name) + own(element_name);
  std::vector<Condition> conditions = {condition_of(own(lanes::place_name), Relation::equal, place)};
  add_index_inside(element_name, Affine{{}, elements}, conditions);
  if (program_.strips == Strips::one) conditions.push_back(condition_of(own(strip_name), Relation::equal, Affine{}));
  const isl::set cut = set_where(*flow().context, *flow().source, names, conditions, true);
  const isl::set wide = isl::manage(isl_set_add_dims(at.copy(), isl_dim_set, 2));
  return without(wide.intersect(cut), {rank});
}

isl::set Visits::all_elements() const {
  std::vector<std::string> names = coordinates_;
  names.emplace_back(element_name);
  std::vector<Condition> inside;
  add_index_inside(element_name, Affine{{}, program_.shape.elements()}, inside);
  return set_where(*flow().context, *flow().source, names, inside, false);
}

isl::set Visits::with_workers_fixed(const isl::set& points) const {
  isl::set result = points;
  for (std::size_t d = dimensions_.size(); d-- > 0;)
    if (is_worker_[d]) result = as_parameter(result, d, dimensions_[d]);
  return result;
}

// As time_of orders them.
std::vector<bool> Visits::unrolled() const {
  std::vector<bool> result;
  for (std::size_t c = 0; c < program_.time.size(); ++c)
    if (!is_worker_[c]) result.push_back(program_.time[c].unrolled);
  if (program_.strips == Strips::rising || program_.strips == Strips::falling) result.insert(result.begin(), false);
  return result;
}

Point Visits::time_of(const Happening& h) const {
  const dataflow::Space& space = flow().spaces[static_cast<std::size_t>(h.space)];
  Point time;
  for (std::size_t c = 0; c < program_.time.size(); ++c) {
    if (is_worker_[c]) continue;
    time.push_back(space.time[c].is_constant() ? space.time[c] : own(dimensions_[c]));
  }
  switch (program_.strips) {
  case Strips::rising: time.insert(time.begin(), own(strip_name)); break;
  case Strips::falling: time.insert(time.begin(), -1 * own(strip_name)); break;
  case Strips::inside: time.push_back(own(strip_name)); break;
  case Strips::one:
  case Strips::parallel: break;
  }
  time.push_back(Affine{{}, h.rank});
  return time;
}

StripVisit Visits::visit_of(std::size_t number, const Happening& h, bool all, const isl::set& times,
                            const isl::set& points) const {
  std::vector<std::string> names = coordinates_;
  names.emplace_back(element_name);
  const isl::set here = isl::manage(isl_set_add_dims(times.copy(), isl_dim_set, 1)).intersect(all_elements());
  const isl::set known = isl::manage(isl_set_from_basic_set(isl_set_simple_hull(here.copy())));
  const isl::set part = isl::manage(isl_set_coalesce(isl_set_gist(points.copy(), known.copy())));
  StripVisit result{number, all, {h.name + (all ? "_all" : "_some"), coordinates_, time_of(h), times}};
  if (all) return result;
  std::vector<std::string> everything = dimensions_;
  everything.emplace_back(element_name);
  result.conditions = alternatives_of(with_workers_free(part), everything, *flow().source);
  if (!result.conditions) result.elements = in_parameters(part, names);
  return result;
}

isl::set Visits::with_workers_free(const isl::set& points) const {
  isl_set* result = points.copy();
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (!is_worker_[d]) continue;
    const int at = isl_set_find_dim_by_name(result, isl_dim_param, dimensions_[d].c_str());
    if (at < 0) result = isl_set_insert_dims(result, isl_dim_set, static_cast<unsigned>(d), 1);
    else
      result =
          isl_set_move_dims(result, isl_dim_set, static_cast<unsigned>(d), isl_dim_param, static_cast<unsigned>(at), 1);
  }
  return isl::manage(result);
}

std::vector<StripVisit> Visits::of(const std::vector<Happening>& happenings) const {
  std::vector<StripVisit> visits;
  for (std::size_t n = 0; n < happenings.size(); ++n) {
    const Happening& h = happenings[n];
    isl_ctx_reset_operations(flow().context->get().get());
    const isl::set points = with_workers_fixed(points_of(h));
    const isl::set times = isl::manage(isl_set_coalesce(without(points, {coordinates_.size()}).release()));
    if (times.is_empty()) continue;
    const isl::set wide = isl::manage(isl_set_add_dims(times.copy(), isl_dim_set, 1)).intersect(all_elements());
    const isl::set idle = without(wide.subtract(points), {coordinates_.size()});
    const isl::set whole = isl::manage(isl_set_coalesce(times.subtract(idle).release()));
    const isl::set partial = isl::manage(isl_set_coalesce(times.intersect(idle).release()));
    if (!whole.is_empty()) visits.push_back(visit_of(n, h, true, whole, points));
    if (!partial.is_empty()) visits.push_back(visit_of(n, h, false, partial, points));
  }
  return visits;
}

// { [strip, where it is no worker; element] }
isl::set Visits::at_any_time(const isl::set& points) const {
  std::vector<std::size_t> times;
  for (std::size_t c = 0; c < coordinates_.size(); ++c)
    if (coordinates_[c] != strip_name) times.push_back(c);
  return without(points, times);
}

isl::set Visits::elements_of(int space, const std::vector<Happening>& rules) const {
  std::optional<isl::set> all;
  for (const Happening& h : rules) {
    if (h.space != space) continue;
    const isl::set own = at_any_time(with_workers_fixed(points_of(h)));
    all = all ? all->unite(own) : own;
  }
  return isl::manage(isl_set_coalesce(all->release()));
}

bool Visits::others_are_idle(const StripVisit& part, const Happening& happening, const isl::set& elements) const {
  const isl::set all =
      isl::manage(isl_set_add_dims(part.visit.points.copy(), isl_dim_set, 1)).intersect(all_elements());
  const isl::set others = all.subtract(with_workers_fixed(points_of(happening)));
  return at_any_time(others).intersect(elements).is_empty();
}

std::optional<Visit> Visits::each_step(const std::vector<Happening>& happenings, std::size_t innermost) const {
  // Where the innermost component stands among the coordinates, and what comes behind it.
  std::size_t at = 0;
  for (std::size_t d = 0; d < innermost; ++d) at += !is_worker_[d];
  std::vector<std::size_t> behind;
  for (std::size_t c = at + 1; c < program_.time.size() && c < coordinates_.size(); ++c)
    if (coordinates_[c] != strip_name) behind.push_back(c);
  std::optional<isl::set> all;
  for (const Happening& h : happenings) {
    const isl::set points = with_workers_fixed(points_of(h));
    isl::set times = without(points, {coordinates_.size()});
    // What comes behind is a number; the step begins before all of them.
    for (const std::size_t c : behind) {
      times = isl::manage(isl_set_insert_dims(without(times, {c}).release(), isl_dim_set, static_cast<unsigned>(c), 1));
      times = isl::manage(isl_set_fix_si(times.release(), isl_dim_set, static_cast<unsigned>(c), 0));
    }
    all = all ? all->unite(times) : times;
  }
  if (!all || all->is_empty()) return std::nullopt;
  // { x -> y }: equal but for the innermost component, where y is not before, and not behind.
  const auto moved = [&](Relation relation) {
    std::vector<std::string> names = coordinates_;
    for (const std::string& c : coordinates_) names.push_back(c + "y");
    std::vector<Condition> conditions;
    for (std::size_t c = 0; c < coordinates_.size(); ++c)
      conditions.push_back(
          condition_of(own(coordinates_[c] + "y"), c == at ? relation : Relation::equal, own(coordinates_[c])));
    isl_map* map = isl_map_from_range(set_where(*flow().context, *flow().source, names, conditions, false).release());
    map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(coordinates_.size()));
    return isl::manage(isl_set_apply(all->copy(), map));
  };
  const isl::set between = moved(Relation::greater_equal).intersect(moved(Relation::less_equal));
  Visit visit{"step", coordinates_, {}, isl::manage(isl_set_coalesce(between.copy()))};
  const Happening& any = happenings.front();
  visit.time = time_of(any);
  // Components that are numbers differ between spaces, so that they are coordinates here; those behind are before all.
  std::size_t in_time = program_.strips == Strips::rising || program_.strips == Strips::falling ? 1 : 0;
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    if (coordinates_[c] == strip_name) continue;
    const bool is_behind = std::find(behind.begin(), behind.end(), c) != behind.end();
    visit.time[in_time++] = is_behind ? Affine{{}, std::numeric_limits<std::int32_t>::min()} : own(coordinates_[c]);
  }
  visit.time.back() = Affine{{}, -1};
  return visit;
}

isl::set Visits::times(const std::vector<Happening>& happenings, std::size_t component) const {
  std::optional<isl::set> all;
  for (const Happening& h : happenings) {
    std::vector<std::size_t> others;
    for (std::size_t d = 0; d <= dimensions_.size(); ++d)
      if (d != component) others.push_back(d);
    const isl::set values = without(points_of(h), others);
    all = all ? all->unite(values) : values;
  }
  return isl::manage(isl_set_coalesce(all->release()));
}

std::vector<Worker> Visits::workers(const std::vector<Happening>& happenings) const {
  std::vector<Worker> result;
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    if (is_worker_[d]) result.push_back({dimensions_[d], times(happenings, d)});
  return result;
}

} // namespace cyclotron::lower
