// SPDX-License-Identifier: MIT
#include "lower/visit_loops.hpp"

#include "recurrence/affine_maps.hpp"

#include <isl/ast_build.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>

namespace cyclotron::lower {

using recurrence::Affine;
using recurrence::map_to;

namespace {

using Group = std::vector<const Visit*>;

// A component of time that is a number in every visit of a group puts them one after the other; any other one is a
// loop. isl could find that out from the times alone, but takes ten times as long to.
class ScheduleTree {
public:
  ScheduleTree(const recurrence::IslContext& context, const recurrence::Program& program, const isl::set& known,
               int levels, const std::vector<bool>& unrolled)
      : context_(context), program_(program), known_(known), levels_(levels), unrolled_(unrolled) {}

  isl_schedule* of(const Group& group, std::size_t component = 0) {
    if (component == group.front()->time.size()) return leaf(group);
    if (component < unrolled_.size() && unrolled_[component]) return written_out(group, component);
    isl_schedule* all = nullptr;
    for (const auto& [numbers, part] : parts_of(group, component)) {
      isl_schedule* next = numbers.first == numbers.second ? of(part, component + 1) : loop(part, component);
      all = all ? isl_schedule_sequence(all, next) : next;
    }
    return all;
  }

private:
  using Range = std::pair<std::int64_t, std::int64_t>; // first and last

  // Visits whose ranges of the component have something in common, directly or through others, stay together.
  std::vector<std::pair<Range, Group>> parts_of(const Group& group, std::size_t component) const {
    std::vector<std::pair<Range, const Visit*>> ranges;
    for (const Visit* v : group) ranges.emplace_back(range_of(*v, component), v);
    std::stable_sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::pair<Range, Group>> parts;
    for (const auto& [range, visit] : ranges) {
      if (parts.empty() || parts.back().first.second < range.first) parts.push_back({range, {}});
      parts.back().first.second = std::max(parts.back().first.second, range.second);
      parts.back().second.push_back(visit);
    }
    return parts;
  }

  // What a component of time is at the points of a visit, at any place. All numbers where that has no end.
  Range range_of(const Visit& visit, std::size_t component) const {
    const Affine& time = visit.time[component];
    if (time.is_constant()) return {time.constant, time.constant};
    const isl::set times =
        visit.points.intersect_params(known_).apply(map_to(context_, program_, visit.coordinates, {time}));
    const isl::val first = times.dim_min_val(0), last = times.dim_max_val(0);
    if (!first.is_int() || !last.is_int()) return {INT64_MIN, INT64_MAX};
    return {first.get_num_si(), last.get_num_si()};
  }

  static isl_set* points(const Visit& visit) { return isl_set_set_tuple_name(visit.points.copy(), visit.name.c_str()); }

  static isl_schedule* leaf(const Group& group) {
    isl_union_set* domain = nullptr;
    for (const Visit* v : group) {
      isl_union_set* own = isl_union_set_from_set(points(*v));
      domain = domain ? isl_union_set_union(domain, own) : own;
    }
    return isl_schedule_from_domain(domain);
  }

  // One iteration after the other. isl would count them from the first that there is, which depends on sizes.
  isl_schedule* written_out(const Group& group, std::size_t component) {
    std::map<std::int64_t, Group> iterations;
    for (const Visit* v : group) {
      const auto [first, last] = range_of(*v, component);
      if (first == INT64_MIN || last == INT64_MAX) bug("a loop is written out that has no end");
      for (std::int64_t i = first; i <= last; ++i) {
        Visit part = *v;
        part.points = part.points.intersect(
            set_where(context_, program_, v->coordinates,
                      {condition_of(v->time[component], recurrence::Relation::equal, Affine{{}, i})}, false));
        if (part.points.is_empty()) continue;
        parts_.push_back(std::move(part));
        iterations[i].push_back(&parts_.back());
      }
    }
    isl_schedule* all = nullptr;
    for (const auto& [i, part] : iterations) {
      isl_schedule* next = of(part, component + 1);
      all = all ? isl_schedule_sequence(all, next) : next;
    }
    return all;
  }

  isl_schedule* loop(const Group& group, std::size_t component) {
    isl_union_map* steps = nullptr;
    for (const Visit* v : group) {
      isl_map* step = map_to(context_, program_, v->coordinates, {v->time[component]}).release();
      isl_union_map* own = isl_union_map_from_map(isl_map_set_tuple_name(step, isl_dim_in, v->name.c_str()));
      steps = steps ? isl_union_map_union(steps, own) : own;
    }
    isl_schedule* inside = of(group, component + 1);
    isl_schedule* result = isl_schedule_insert_partial_schedule(inside, isl_multi_union_pw_aff_from_union_map(steps));
    if (static_cast<int>(component) >= levels_) return result;
    isl_schedule_node* band = isl_schedule_node_child(isl_schedule_get_root(result), 0);
    isl_schedule_free(result);
    band = isl_schedule_node_band_member_set_ast_loop_type(band, 0, isl_ast_loop_separate);
    result = isl_schedule_node_get_schedule(band);
    isl_schedule_node_free(band);
    return result;
  }

  const recurrence::IslContext& context_;
  const recurrence::Program& program_;
  const isl::set& known_; // of the parameters
  int levels_;            // of loops that are cut where visits begin and end, so that nothing is tested inside
  const std::vector<bool>& unrolled_;
  std::deque<Visit> parts_; // of visits: an iteration each
};

// Of a loop: the part that is apart gets what the whole of it had.
isl_schedule_node* set_apart(isl_schedule_node* node, void* apart) {
  if (isl_schedule_node_get_type(node) != isl_schedule_node_band) return node;
  isl_schedule_node* inside = isl_schedule_node_child(isl_schedule_node_copy(node), 0);
  isl_union_map* times = isl_schedule_node_get_prefix_schedule_relation(inside);
  isl_schedule_node_free(inside);
  isl_union_set* parts = isl_union_set_apply(isl_union_set_copy(static_cast<isl_union_set*>(apart)), times);
  if (isl_union_set_is_empty(parts) != isl_bool_false) {
    isl_union_set_free(parts);
    return node;
  }
  isl_map* option = isl_map_from_range(isl_set_from_union_set(parts));
  const auto around = static_cast<unsigned>(isl_map_dim(option, isl_dim_out)) - 1;
  option = isl_map_move_dims(option, isl_dim_in, 0, isl_dim_out, 0, around);
  isl_set* wrapped = isl_set_set_tuple_name(isl_map_wrap(option), "isolate");
  const isl_ast_loop_type type = isl_schedule_node_band_member_get_ast_loop_type(node, 0);
  node = isl_schedule_node_band_set_ast_build_options(node, isl_union_set_from_set(wrapped));
  return isl_schedule_node_band_member_set_isolate_ast_loop_type(node, 0, type);
}

isl_schedule* with_apart(isl_schedule* schedule, const Group& group, const isl::set& apart) {
  isl_union_set* points = nullptr;
  for (const Visit* v : group) {
    isl_set* own = isl_set_set_tuple_name(apart.copy(), v->name.c_str());
    points = points ? isl_union_set_union(points, isl_union_set_from_set(own)) : isl_union_set_from_set(own);
  }
  schedule = isl_schedule_map_schedule_node_bottom_up(schedule, set_apart, points);
  isl_union_set_free(points);
  return schedule;
}

isl_ast_node* loops_of(ScheduleTree tree, const Group& group, const isl::set& known,
                       const std::optional<isl::set>& apart) {
  isl_ctx* ctx = isl_set_get_ctx(known.get());
  isl_options_set_ast_build_allow_else(ctx, 0);
  isl_options_set_ast_build_exploit_nested_bounds(ctx, 0); // costs a third of the time, and changes nothing here
  isl_ast_build* build = isl_ast_build_from_context(known.copy());
  isl_schedule* schedule = tree.of(group);
  if (apart) schedule = with_apart(schedule, group, *apart);
  isl_ast_node* node = isl_ast_build_node_from_schedule(build, schedule);
  isl_ast_build_free(build);
  return node;
}

} // namespace

isl_ast_node* visit_loops(const recurrence::IslContext& context, const recurrence::Program& program,
                          const std::vector<Visit>& visits, const isl::set& known, int& levels,
                          const std::optional<isl::set>& apart, const std::vector<bool>& unrolled) {
  Group group;
  for (const Visit& v : visits) group.push_back(&v);
  isl_ctx* ctx = context.get().get();
  const unsigned long limit = isl_ctx_get_max_operations(ctx);
  const auto attempt = [&](int cut, const std::optional<isl::set>& own, unsigned long most) -> isl_ast_node* {
    isl_ctx_reset_operations(ctx);
    isl_ctx_set_max_operations(ctx, most);
    isl_ast_node* node = loops_of(ScheduleTree(context, program, known, cut, unrolled), group, known, own);
    if (!node && isl_ctx_last_error(ctx) == isl_error_quota) isl_ctx_reset_error(ctx);
    isl_ctx_set_max_operations(ctx, limit);
    isl_ctx_reset_operations(ctx);
    return node;
  };
  isl_ast_node* node = apart ? attempt(levels, apart, 5 * limit) : nullptr;
  // To cut all loops of many visits takes long. Then inner ones are left whole, with tests inside.
  for (const int fewer : {all_levels, 3, 2, 0}) {
    if (node) break;
    if (fewer > levels) continue;
    levels = fewer;
    node = attempt(levels, std::nullopt, levels > 0 ? limit / 4 : limit);
  }
  if (!node) throw isl::exception();
  return node;
}

} // namespace cyclotron::lower
