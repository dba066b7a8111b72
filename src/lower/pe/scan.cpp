// SPDX-License-Identifier: MIT
#include "lower/pe/scan.hpp"

#include <isl/ast_build.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <algorithm>
#include <cstdint>

namespace cyclotron::lower {

using recurrence::Affine;
using recurrence::map_to;

namespace {

using Group = std::vector<const Visit*>;

// A component of time that is a number in every visit of a group puts them one after the other; any other one is a
// loop. isl could find that out from the times alone, but takes ten times as long to.
class ScheduleTree {
public:
  ScheduleTree(const dataflow::Program& program, const isl::set& known, int levels)
      : program_(program), known_(known), levels_(levels) {}

  isl_schedule* of(const Group& group, std::size_t component = 0) const {
    if (component == group.front()->time.size()) return leaf(group);
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
    const isl::set times = visit.points.intersect_params(known_).apply(
        map_to(*program_.context, *program_.source, visit.coordinates, {time}));
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

  isl_schedule* loop(const Group& group, std::size_t component) const {
    isl_union_map* steps = nullptr;
    for (const Visit* v : group) {
      isl_map* step = map_to(*program_.context, *program_.source, v->coordinates, {v->time[component]}).release();
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

  const dataflow::Program& program_;
  const isl::set& known_; // of the parameters
  int levels_;            // of loops that are cut where visits begin and end, so that nothing is tested inside
};

isl_ast_node* loops_of(const dataflow::Program& program, const Group& group, const isl::set& known, int levels) {
  isl_ctx* ctx = program.context->get().get();
  isl_options_set_ast_build_allow_else(ctx, 0);
  isl_options_set_ast_build_exploit_nested_bounds(ctx, 0); // costs a third of the time, and changes nothing here
  isl_ast_build* build = isl_ast_build_from_context(known.copy());
  isl_ast_node* node = isl_ast_build_node_from_schedule(build, ScheduleTree(program, known, levels).of(group));
  isl_ast_build_free(build);
  return node;
}

} // namespace

std::vector<pe::Statement> scan(const dataflow::Program& program, const std::vector<Visit>& visits,
                                const isl::set& known, const MakeStatement& make, int& levels) {
  Group group;
  for (const Visit& v : visits) group.push_back(&v);
  isl_ctx* ctx = program.context->get().get();
  const unsigned long limit = isl_ctx_get_max_operations(ctx);
  isl_ast_node* node = nullptr;
  // To cut all loops of many visits takes long. Then inner ones are left whole, with tests inside.
  for (const int fewer : {all_levels, 3, 2, 0}) {
    if (fewer > levels) continue;
    levels = fewer;
    isl_ctx_reset_operations(ctx);
    isl_ctx_set_max_operations(ctx, levels > 0 ? limit / 4 : limit);
    node = loops_of(program, group, known, levels);
    if (node || isl_ctx_last_error(ctx) != isl_error_quota) break;
    isl_ctx_reset_error(ctx);
  }
  isl_ctx_set_max_operations(ctx, limit);
  isl_ctx_reset_operations(ctx);
  if (!node) throw isl::exception();
  return statements_of(node, make);
}

} // namespace cyclotron::lower
