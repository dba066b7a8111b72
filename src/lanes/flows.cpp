// SPDX-License-Identifier: MIT
#include "lanes/flows.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

namespace cyclotron::lanes {

using namespace recurrence;
using dataflow::Reference;

namespace {

std::optional<std::int64_t> finite(isl_val* value) {
  std::optional<std::int64_t> result;
  if (value && isl_val_is_int(value) == isl_bool_true) result = isl_val_get_num_si(value);
  isl_val_free(value);
  return result;
}

Flow flow_of(const dataflow::Program& program, std::size_t rule, const Reference& what) {
  const dataflow::Rule& r = program.rules[rule];
  const dataflow::Space& reader = program.spaces[static_cast<std::size_t>(r.space)];
  const dataflow::Space& producer = program.spaces[static_cast<std::size_t>(what.space)];
  std::map<std::string, Affine> by;
  for (std::size_t c = 0; c < what.point.size(); ++c) by[producer.coordinates[c]] = what.point[c];
  Flow flow{rule, what, r.domain, {}, {}, {}, {}, false};
  for (std::size_t t = 0; t < reader.time.size(); ++t) {
    flow.later.push_back(reader.time[t] - substitute(producer.time[t], by));
    flow.steps.push_back(one_value(program, reader.coordinates, r.domain, flow.later.back()));
  }
  if (!reader.place.empty()) flow.beyond = reader.place[0] - substitute(producer.place[0], by);
  flow.places = one_value(program, reader.coordinates, r.domain, flow.beyond);
  flow.own = what.space == r.space && what.point == dataflow::own_point(reader);
  return flow;
}

} // namespace

bool Flow::same_time() const {
  return std::all_of(steps.begin(), steps.end(), [](const auto& s) { return s == 0; });
}

std::optional<std::int64_t> one_value(const dataflow::Program& program, const std::vector<std::string>& names,
                                      const isl::set& domain, const Affine& formula) {
  if (formula.is_constant()) return formula.constant;
  const isl::map to = map_to(*program.context, *program.source, names, {formula});
  const isl::set values = isl::manage(isl_set_apply(domain.copy(), to.copy()));
  const auto least = finite(isl_set_dim_min_val(values.copy(), 0)),
             most = finite(isl_set_dim_max_val(values.copy(), 0));
  return least && most && *least == *most ? least : std::nullopt;
}

std::vector<Flow> flows_of(const dataflow::Program& program) {
  std::vector<Flow> flows;
  for (std::size_t r = 0; r < program.rules.size(); ++r) {
    std::vector<Reference> seen;
    ir::walk<ExprNode>(program.rules[r].expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      const auto ref = a ? dataflow::reference_of(*a, program) : std::nullopt;
      if (!ref) return;
      const bool known = std::any_of(seen.begin(), seen.end(), [&](const Reference& s) {
        return s.space == ref->space && s.value == ref->value && s.point == ref->point;
      });
      if (known) return;
      seen.push_back(*ref);
      flows.push_back(flow_of(program, r, *ref));
    });
  }
  return flows;
}

isl::set out_of_step(const dataflow::Program& program, const Flow& flow) {
  const Affine zero;
  isl::set broken = flow.domain.subtract(flow.domain);
  std::vector<Condition> same;
  for (const Affine& later : flow.later) {
    std::vector<Condition> conditions = same;
    conditions.push_back(condition_of(later, Relation::less, zero));
    broken = broken.unite(part_where(program, flow, conditions));
    same.push_back(condition_of(later, Relation::equal, zero));
  }
  same.push_back(condition_of(flow.beyond, Relation::not_equal, zero));
  return broken.unite(part_where(program, flow, same));
}

isl::set part_where(const dataflow::Program& program, const Flow& flow, const std::vector<Condition>& conditions) {
  const auto& names = program.spaces[static_cast<std::size_t>(program.rules[flow.rule].space)].coordinates;
  return flow.domain.intersect(set_where(*program.context, *program.source, names, conditions, false));
}

} // namespace cyclotron::lanes
