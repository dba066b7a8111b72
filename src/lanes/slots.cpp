// SPDX-License-Identifier: MIT
#include "lanes/slots.hpp"

#include <isl/map.h>
#include <isl/set.h>

namespace cyclotron::lanes {

using namespace recurrence;

std::optional<Extent> extent_of(const Program& program, std::size_t component) {
  std::optional<Extent> all;
  for (const dataflow::Rule& rule : program.flow.rules) {
    const dataflow::Space& space = program.flow.spaces[static_cast<std::size_t>(rule.space)];
    const isl::set values =
        map_to(*program.flow.context, *program.flow.source, space.coordinates, {space.time[component]})
            .intersect_domain(rule.domain)
            .range();
    if (values.is_empty()) continue;
    const isl::val least = values.dim_min_val(0), most = values.dim_max_val(0);
    if (!least.is_int() || !most.is_int()) return std::nullopt;
    const std::int64_t first = least.get_num_si(), last = most.get_num_si();
    if (!all) all = Extent{first, last - first + 1};
    const std::int64_t begin = std::min(all->first, first);
    all = Extent{begin, std::max(all->first + all->count, last + 1) - begin};
  }
  return all ? all : Extent{0, 1};
}

Slots::Slots(const Program& program) : program_(program) {
  for (std::size_t c = 0; c < program.time.size(); ++c) {
    extents_.push_back(program.time[c].unrolled ? extent_of(program, c) : std::nullopt);
    if (!program.time[c].unrolled) continue;
    if (!extents_.back()) bug("a loop is written out that has no end");
    count_ *= static_cast<std::size_t>(extents_.back()->count);
  }
}

std::optional<std::size_t> Slots::of(const std::vector<std::int64_t>& time) const {
  std::int64_t slot = 0;
  for (std::size_t c = 0; c < extents_.size(); ++c) {
    if (!extents_[c]) continue;
    const std::int64_t iteration = time[c] - extents_[c]->first;
    if (iteration < 0 || iteration >= extents_[c]->count) return std::nullopt;
    slot = slot * extents_[c]->count + iteration;
  }
  return static_cast<std::size_t>(slot);
}

std::int64_t Slots::apart(const std::vector<std::int64_t>& steps) const {
  std::int64_t slots = 0;
  for (std::size_t c = 0; c < extents_.size(); ++c)
    if (extents_[c]) slots = slots * extents_[c]->count + steps[c];
  return slots;
}

std::set<std::size_t> Slots::read_by(const Flow& flow) const {
  const dataflow::Space& reader = program_.flow.spaces[static_cast<std::size_t>(program_.flow.rules[flow.rule].space)];
  Point time = reader.time;
  for (std::size_t c = 0; c < time.size(); ++c) time[c] = time[c] - flow.later[c];
  return at(flow.domain, reader, time);
}

std::set<std::size_t> Slots::written_by(const dataflow::Rule& rule) const {
  const dataflow::Space& space = program_.flow.spaces[static_cast<std::size_t>(rule.space)];
  return at(rule.domain, space, space.time);
}

// Those of the times of some points.
std::set<std::size_t> Slots::at(const isl::set& points, const dataflow::Space& space, const Point& time) const {
  if (count_ == 1) return {0};
  Point slot = {Affine{}};
  for (std::size_t c = 0; c < extents_.size(); ++c)
    if (extents_[c]) slot[0] = extents_[c]->count * slot[0] + time[c] - Affine{{}, extents_[c]->first};
  isl::set values = isl::manage(isl_set_apply(
      points.copy(), map_to(*program_.flow.context, *program_.flow.source, space.coordinates, slot).release()));
  isl_set* numbers = isl_set_project_out(values.copy(), isl_dim_param, 0,
                                         static_cast<unsigned>(isl_set_dim(values.get(), isl_dim_param)));
  std::set<std::size_t> found;
  const auto add = [](isl_point* point, void* user) {
    isl_val* value = isl_point_get_coordinate_val(point, isl_dim_set, 0);
    static_cast<std::set<std::size_t>*>(user)->insert(static_cast<std::size_t>(isl_val_get_num_si(value)));
    isl_val_free(value);
    isl_point_free(point);
    return isl_stat_ok;
  };
  isl_set_foreach_point(numbers, add, &found);
  isl_set_free(numbers);
  return found;
}

} // namespace cyclotron::lanes
