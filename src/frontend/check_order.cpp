// SPDX-License-Identifier: MIT
// Well-foundedness: where steps alone do not give an order, isl is asked for a schedule with all sizes symbolic. Where
// it finds none, the dependences are written out at a few small sizes and searched for a cycle, which makes a witness
// that a person can follow.
#include "frontend/check.hpp"

#include "frontend/describe.hpp"
#include "frontend/isl_limit.hpp"
#include "frontend/step_order.hpp"

#include <fmt/format.h>
#include <isl/schedule.h>

#include <algorithm>
#include <map>
#include <set>

namespace cyclotron::frontend {

using namespace recurrence;

namespace {

// The dependences among equations that need each other in a circle, or themselves: no other can make an instance need
// itself.
isl::union_map in_circles(const isl::union_map& needs) {
  const auto name = [](const isl::map& map, isl_dim_type side) {
    return std::string(isl_map_get_tuple_name(map.get(), side));
  };
  std::vector<isl::map> maps;
  needs.foreach_map([&](const isl::map& map) { maps.push_back(map); });
  std::map<std::string, std::set<std::string>> users; // of an equation, through others, too
  for (const isl::map& map : maps) users[name(map, isl_dim_in)].insert(name(map, isl_dim_out));
  for (const auto& [through, unused] : users) {
    (void)unused;
    for (auto& [from, to] : users)
      if (to.count(through)) to.insert(users[through].begin(), users[through].end());
  }
  isl::union_map left = isl::manage(isl_union_map_empty(isl_union_map_get_space(needs.get())));
  for (const isl::map& map : maps)
    if (const auto back = users.find(name(map, isl_dim_out));
        back != users.end() && back->second.count(name(map, isl_dim_in)))
      left = left.unite(isl::union_map(map));
  return left;
}

bool has_schedule(const Domains& domains, const isl::union_map& needs) {
  const auto schedule = domains.context->bounded([&] {
    const isl::union_set all = instances(domains);
    const isl::union_set concerned = all.intersect(
        isl::manage(isl_union_set_universe(isl_union_set_union(needs.domain().release(), needs.range().release()))));
    isl_schedule_constraints* constraints = isl_schedule_constraints_on_domain(concerned.copy());
    constraints = isl_schedule_constraints_set_validity(constraints, needs.copy());
    return isl::manage(isl_schedule_constraints_compute_schedule(constraints));
  });
  return schedule.has_value();
}

// An instance of an equation: its number and the values of its indices.
using Instance = std::pair<int, std::vector<std::int64_t>>;
using Graph = std::map<Instance, std::vector<Instance>>; // from an instance to those it needs

// The dependences at one choice of sizes, written out; `build` is false where there are too many.
class SmallGraph {
public:
  SmallGraph(const Domains& domains, const isl::union_map& needs) : domains_(domains), needs_(needs) {}

  bool build(const isl::set& sizes) {
    graph_.clear();
    edges_ = 0;
    too_many_ = false;
    isl_union_map* fixed = isl_union_map_intersect_params(needs_.copy(), sizes.params().release());
    const isl_stat status = isl_union_map_foreach_map(fixed, add_map, this);
    isl_union_map_free(fixed);
    return status == isl_stat_ok && !too_many_;
  }

  // A cycle as instances, each needing the next and the last the first; empty where there is none.
  std::vector<Instance> find_cycle() const {
    std::map<Instance, int> state; // 1: on the path, 2: done
    std::vector<Instance> path;
    for (const auto& [start, unused] : graph_) {
      (void)unused;
      if (search(start, state, path)) return path;
    }
    return {};
  }

private:
  static constexpr std::size_t most_edges = 20000;

  bool search(const Instance& at, std::map<Instance, int>& state, std::vector<Instance>& path) const {
    if (path.size() > 2000) return false;
    state[at] = 1;
    path.push_back(at);
    const auto edges = graph_.find(at);
    if (edges != graph_.end())
      for (const Instance& next : edges->second) {
        if (state[next] == 1) {
          path.erase(path.begin(), std::find(path.begin(), path.end(), next));
          return true;
        }
        if (state[next] == 0 && search(next, state, path)) return true;
      }
    path.pop_back();
    state[at] = 2;
    return false;
  }

  static isl_stat add_map(isl_map* map, void* self) {
    auto* graph = static_cast<SmallGraph*>(self);
    graph->from_ = std::atoi(isl_map_get_tuple_name(map, isl_dim_out) + 1);
    graph->to_ = std::atoi(isl_map_get_tuple_name(map, isl_dim_in) + 1);
    graph->in_dims_ = isl_map_dim(map, isl_dim_in);
    isl_set* pairs = isl_set_flatten(isl_map_wrap(map));
    pairs = isl_set_project_out(pairs, isl_dim_param, 0, static_cast<unsigned>(isl_set_dim(pairs, isl_dim_param)));
    const isl_stat status = isl_set_foreach_point(pairs, add_point, self);
    isl_set_free(pairs);
    return status;
  }

  static isl_stat add_point(isl_point* point, void* self) {
    auto* graph = static_cast<SmallGraph*>(self);
    Instance needed{graph->to_, {}}, needing{graph->from_, {}};
    isl_space* space = isl_point_get_space(point);
    const int dims = isl_space_dim(space, isl_dim_set);
    isl_space_free(space);
    for (int i = 0; i < dims; ++i) {
      const isl::val v = isl::manage(isl_point_get_coordinate_val(point, isl_dim_set, i));
      (i < graph->in_dims_ ? needed : needing).second.push_back(v.get_num_si());
    }
    isl_point_free(point);
    graph->graph_[needing].push_back(needed);
    graph->too_many_ = ++graph->edges_ > most_edges;
    return graph->too_many_ ? isl_stat_error : isl_stat_ok;
  }

  const Domains& domains_;
  const isl::union_map& needs_;
  Graph graph_;
  std::size_t edges_ = 0;
  bool too_many_ = false;
  int from_ = 0, to_ = 0, in_dims_ = 0;
};

void report_cycle(const std::vector<Instance>& cycle, const Witness& sizes, const Checked& checked,
                  Diagnostics& diagnostics) {
  const Program& program = checked.program();
  const auto name = [&](const Instance& instance) {
    const EquationDomain& e = checked.domains.equations[static_cast<std::size_t>(instance.first)];
    return describe_element(e.equation->target, program, [&](const std::string& n) {
      const auto at = std::find(e.indices.begin(), e.indices.end(), n);
      return at == e.indices.end() ? sizes.value_of(n)
                                   : instance.second[static_cast<std::size_t>(at - e.indices.begin())];
    });
  };
  const auto equation = [&](const Instance& i) {
    return checked.domains.equations[static_cast<std::size_t>(i.first)].equation;
  };
  const std::string when = sizes.sizes.empty() ? "" : ", when " + sizes.describe();
  const std::string first = name(cycle[0]);
  Diagnostic& d = diagnostics.error(
      equation(cycle[0])->span, cycle.size() == 1 ? fmt::format("`{}` needs itself", first)
                                                  : fmt::format("`{}` needs itself, through {} other element{}", first,
                                                                cycle.size() - 1, cycle.size() == 2 ? "" : "s"));
  d.label(fmt::format("`{}` needs `{}`{}", first, name(cycle[1 % cycle.size()]), when));
  for (std::size_t i = 1; i < cycle.size() && i < 6; ++i)
    d.note(equation(cycle[i])->span,
           fmt::format("`{}` needs `{}`", name(cycle[i]), name(cycle[(i + 1) % cycle.size()])));
  d.with_hint("an element may only use elements that can be computed before it; constrain the reads, or define a first "
              "element by an equation of its own");
}

} // namespace

namespace {

// The smallest sizes, all at least `least`, that the assumptions allow.
std::optional<Witness> sizes_from(std::int64_t least, const Checked& checked) {
  std::vector<Condition> conditions;
  for (const Binder& s : checked.program().sizes)
    conditions.push_back({Affine{{{s.name, 1}}, -least}, Condition::Kind::nonnegative});
  return find_witness(set_where(*checked.domains.context, checked.program(), {}, conditions), checked.program(), {});
}

isl::set fixed_sizes(const Witness& sizes, const Checked& checked) {
  std::vector<Condition> conditions;
  for (const auto& [name, value] : sizes.sizes)
    conditions.push_back({Affine{{{name, 1}}, -value}, Condition::Kind::zero});
  return set_where(*checked.domains.context, checked.program(), {}, conditions);
}

bool report_small_cycle(const isl::union_map& needs, const Checked& checked, Diagnostics& diagnostics) {
  SmallGraph graph(checked.domains, needs);
  for (std::int64_t least = 1; least <= 10; ++least) {
    const auto sizes = sizes_from(least, checked);
    if (!sizes || !graph.build(fixed_sizes(*sizes, checked))) return false;
    const std::vector<Instance> cycle = graph.find_cycle();
    if (cycle.empty()) continue;
    report_cycle(cycle, *sizes, checked, diagnostics);
    return true;
  }
  return false;
}

// An instance that needs itself directly: isl's scheduler does not look at these.
bool report_self_need(const isl::union_map& needs, const Checked& checked, Diagnostics& diagnostics) {
  const isl::union_map self = needs.intersect(instances(checked.domains).identity());
  if (self.is_empty()) return false;
  if (report_small_cycle(self, checked, diagnostics)) return true;
  for (std::size_t i = 0; i < checked.domains.equations.size(); ++i) {
    const EquationDomain& e = checked.domains.equations[i];
    const isl::set own = e.defines.domain();
    const isl::union_set found = self.domain().intersect(isl::union_set(own));
    if (found.is_empty()) continue;
    const isl::set points = isl::manage(isl_set_reset_tuple_id(isl_set_from_union_set(found.copy())));
    const auto witness = find_witness(points, checked.program(), e.indices);
    if (!witness) bug("an instance needs itself, but there is no witness");
    std::vector<std::int64_t> values;
    for (const auto& [name, value] : witness->indices) values.push_back(value);
    report_cycle({{static_cast<int>(i), values}}, {witness->sizes, {}}, checked, diagnostics);
    return true;
  }
  bug("an instance needs itself, but no equation has it");
}

Checked find_order(const Checked& checked, Diagnostics& diagnostics) {
  Checked result = checked;
  if (ordered_by_steps(checked.program())) {
    result.order = Order::proven;
    return result;
  }
  const isl::union_map needs = in_circles(dependences(checked.domains));
  if (needs.is_empty()) {
    result.order = Order::proven;
    return result;
  }
  if (report_self_need(needs, checked, diagnostics)) return result;
  if (has_schedule(checked.domains, needs)) {
    result.order = Order::proven;
    return result;
  }
  report_small_cycle(needs, checked, diagnostics);
  result.order = Order::undecided;
  return result;
}

} // namespace

Checked check_order(const Checked& checked, Diagnostics& diagnostics) {
  const Question asked{{}, "the order in which this program computes its elements", simpler_constraints};
  const auto done = within_isl_limit(asked, diagnostics, [&] { return find_order(checked, diagnostics); });
  return done ? *done : without_domains(checked);
}

} // namespace cyclotron::frontend
