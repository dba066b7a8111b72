// SPDX-License-Identifier: MIT
#include "dataflow/flows.hpp"

#include <isl/map.h>

#include <cstdlib>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

std::int64_t hops_of(const Program& program, const Rule& rule, const Reference& ref) {
  const Space& reader = program.spaces[static_cast<std::size_t>(rule.space)];
  const Space& producer = program.spaces[static_cast<std::size_t>(ref.space)];
  std::map<std::string, Affine> by;
  for (std::size_t c = 0; c < ref.point.size(); ++c) by[producer.coordinates[c]] = ref.point[c];
  std::int64_t hops = 0;
  for (std::size_t a = 0; a < program.axes.size(); ++a) {
    const Affine way = reader.place[a] - substitute(producer.place[a], by);
    if (!way.is_constant()) return 0;
    hops += std::abs(way.constant);
  }
  return hops;
}

} // namespace

isl::map related(const Program& p, int reader, const Affine& f, Relation relation, int producer, const Affine& g) {
  const auto& x = p.spaces[static_cast<std::size_t>(reader)].coordinates;
  const auto& y = p.spaces[static_cast<std::size_t>(producer)].coordinates;
  std::vector<std::string> both = x;
  std::map<std::string, Affine> primed;
  for (const std::string& n : y) {
    both.push_back(n + "'");
    primed[n] = Affine{{{n + "'", 1}}, 0};
  }
  const isl::set set =
      set_where(*p.context, *p.source, both, {condition_of(f, relation, substitute(g, primed))}, false);
  isl_map* map = isl_map_from_range(set.copy());
  return isl::manage(isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(x.size())));
}

std::vector<PointFlow> flows_of(const Program& program) {
  std::vector<PointFlow> flows;
  for (const Rule& r : program.rules)
    ir::walk<ExprNode>(r.expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      const auto ref = a ? reference_of(*a, program) : std::nullopt;
      if (!ref) return;
      const auto& names = program.spaces[static_cast<std::size_t>(r.space)].coordinates;
      isl::map points = map_to(*program.context, *program.source, names, ref->point).intersect_domain(r.domain);
      if (ref->space == r.space) { // what is used in the step that makes it needs no order
        const isl::map own = map_to(*program.context, *program.source, names,
                                    own_point(program.spaces[static_cast<std::size_t>(r.space)]));
        points = points.subtract(own);
      }
      if (!points.is_empty())
        flows.push_back({r.space, ref->space, ref->value, points, r.span, hops_of(program, r, *ref)});
    });
  return flows;
}

isl::map local_part(const Program& program, const PointFlow& flow) {
  isl::map part = flow.points;
  const auto& reader = program.spaces[static_cast<std::size_t>(flow.reader)];
  const auto& producer = program.spaces[static_cast<std::size_t>(flow.producer)];
  for (std::size_t a = 0; a < program.axes.size(); ++a)
    part = part.intersect(
        related(program, flow.reader, reader.place[a], Relation::equal, flow.producer, producer.place[a]));
  return part;
}

} // namespace cyclotron::dataflow
