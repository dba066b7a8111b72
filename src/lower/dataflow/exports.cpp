// SPDX-License-Identifier: MIT
// What leaves the array: every element of a computed tensor, at the point that has it. Of a tensor that is defined step
// by step only the last step is wanted.
#include "lower/dataflow/dataflow_builder.hpp"

#include <isl/map.h>
#include <isl/set.h>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

Point variables_as_points(const ArrayEquation& e) {
  Point point;
  for (const std::string& v : e.variables) point.push_back(Affine{{{v, 1}}, 0});
  return point;
}

} // namespace

void DataflowBuilder::add_exports() {
  for (std::size_t i = 0; i < equations_.equations.size(); ++i) {
    fresh_quota();
    const ArrayEquation& e = equations_.equations[i];
    Point element = e.target;
    isl::set wanted = e.domain;
    if (source().is_stepped(e.tensor)) {
      wanted = wanted.intersect(
          set_where(context(), source(), e.variables,
                    {condition_of(element[0], Relation::equal, equations_.last_step.at(e.tensor))}, false));
      element.erase(element.begin());
    }
    for (const Located& l : located(i)) {
      if (l.space >= 0 && l.point.empty() && !space(l.space).coordinates.empty()) { // a sum's last points
        const isl::map own = map_to(context(), source(), space(l.space).coordinates, variables_as_points(e));
        const isl::set where =
            l.domain.intersect(isl::manage(isl_set_apply(wanted.copy(), isl_map_reverse(own.copy()))));
        if (!where.is_empty()) out_.exports.push_back({l.space, l.value, where, e.tensor, element, e.source->span});
        continue;
      }
      const isl::set where = l.domain.intersect(wanted);
      if (where.is_empty()) continue;
      if (l.space < 0) {
        // A sum of no tiles is a tile of zeros, as memory has at the start; a formula is a number.
        if (element.size() < source().tensor(e.tensor)->dims.size()) continue;
        const std::function<Expr(const Expr&)> put = [&](const Expr& x) -> Expr {
          if (const Name* n = as<Name>(x); n && e.split.count(n->id)) return expression_of(e.split.at(n->id), source());
          return ir::map_children<ExprNode>(x, put);
        };
        out_.constants.push_back({e.tensor, e.variables, where, element, put(l.formula), e.source->span});
        continue;
      }
      const isl::map to_point = map_to(context(), source(), e.variables, l.point).intersect_domain(where);
      const isl::map to_element = to_point.reverse().apply_range(map_to(context(), source(), e.variables, element));
      const auto pieces = pieces_of(to_element, space(l.space).coordinates, source());
      if (!pieces) {
        diagnostics_.unsupported(e.source->span,
                                 "which element is computed at a point is not a formula of its coordinates");
        return;
      }
      for (const Piece& p : *pieces)
        out_.exports.push_back({l.space, l.value, p.domain, e.tensor, p.point, e.source->span});
    }
  }
}

} // namespace cyclotron::lower
