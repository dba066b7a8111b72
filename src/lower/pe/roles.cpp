// SPDX-License-Identifier: MIT
#include "lower/pe/roles.hpp"

#include "lower/pe/loop_names.hpp"
#include "lower/pe/places.hpp"
#include "lower/pe/scan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

// PEs that have points of the same cells.
struct Class {
  isl::set places;
  std::set<std::size_t> cells;
};

class Caster {
public:
  Caster(const dataflow::Program& program, const std::vector<Order>& orders, const std::vector<Cell>& cells)
      : program_(program), orders_(orders), cells_(cells) {}

  std::vector<pe::Role> run() {
    std::vector<Class> classes = find_classes();
    merge(classes);
    std::map<std::vector<std::int64_t>, std::size_t> by_place; // in the order of their first PEs
    for (std::size_t c = 0; c < classes.size(); ++c) by_place[first_place(classes[c])] = c;
    std::vector<pe::Role> roles;
    for (const auto& [place, c] : by_place)
      roles.push_back(
          {std::to_string(roles.size() + 1), tests_of(as_parameters(classes[c].places)), body_of(classes[c])});
    return roles;
  }

private:
  void reset() const { isl_ctx_reset_operations(program_.context->get().get()); }
  const Order& order(const Cell& cell) const { return orders_[static_cast<std::size_t>(cell.space)]; }
  const dataflow::Space& space(const Cell& cell) const { return program_.spaces[static_cast<std::size_t>(cell.space)]; }
  unsigned axes() const { return static_cast<unsigned>(program_.axes.size()); }

  // --- classes ---

  std::vector<Class> find_classes() const {
    std::vector<Class> classes;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      reset();
      const isl::set places = cells_[c].points.apply(order(cells_[c]).place).coalesce();
      isl::set rest = places;
      std::vector<Class> next;
      for (const Class& one : classes) {
        const isl::set inside = one.places.intersect(places), outside = one.places.subtract(places);
        rest = rest.subtract(one.places);
        if (!outside.is_empty()) next.push_back({outside.coalesce(), one.cells});
        if (inside.is_empty()) continue;
        next.push_back({inside.coalesce(), one.cells});
        next.back().cells.insert(c);
      }
      if (!rest.is_empty()) next.push_back({rest.coalesce(), {c}});
      classes = std::move(next);
    }
    return classes;
  }

  std::vector<std::int64_t> first_place(const Class& of) const {
    reset();
    return numbers_of(of.places.lexmin().sample_point());
  }

  // A PE that lacks some cells of another often has the same program, with a loop that runs never: the cells that it
  // lacks are empty there without being told so.
  void merge(std::vector<Class>& classes) const {
    const auto runs_never = [&](std::size_t cell, const Class& small, const Class& large) {
      const isl::set points = points_at(cells_[cell], large.places).gist_params(as_parameters(large.places));
      return points.intersect_params(as_parameters(small.places)).is_empty();
    };
    const auto fits = [&](const Class& small, const Class& large) {
      if (!std::includes(large.cells.begin(), large.cells.end(), small.cells.begin(), small.cells.end())) return false;
      reset();
      return std::all_of(large.cells.begin(), large.cells.end(),
                         [&](std::size_t c) { return small.cells.count(c) || runs_never(c, small, large); });
    };
    for (std::size_t small = 0; small < classes.size(); ++small)
      for (std::size_t large = 0; large < classes.size(); ++large) {
        if (small == large || !fits(classes[small], classes[large])) continue;
        classes[large].places = classes[large].places.unite(classes[small].places).coalesce();
        classes.erase(classes.begin() + static_cast<std::ptrdiff_t>(small));
        --small;
        break;
      }
  }

  // --- statements ---

  // A set of places as a condition on the axes, which are parameters of what follows.
  isl::set as_parameters(const isl::set& places) const {
    isl_set* set = isl_set_move_dims(places.copy(), isl_dim_param, 0, isl_dim_set, 0, axes());
    for (unsigned a = 0; a < axes(); ++a) set = isl_set_set_dim_name(set, isl_dim_param, a, program_.axes[a].c_str());
    return isl::manage(isl_set_params(set));
  }

  // The points of a cell that a PE of these places has.
  isl::set points_at(const Cell& cell, const isl::set& places) const {
    isl_map* place = isl_map_intersect_domain(order(cell).place.copy(), cell.points.copy());
    place = isl_map_intersect_range(place, places.copy());
    place = isl_map_move_dims(place, isl_dim_param, 0, isl_dim_out, 0, axes());
    for (unsigned a = 0; a < axes(); ++a)
      place = isl_map_set_dim_name(place, isl_dim_param, a, program_.axes[a].c_str());
    return isl::manage(isl_map_domain(place));
  }

  // When a point is visited: passes first, the pass itself before its points.
  Point when(const Cell& cell) const {
    Point result = space(cell).time;
    if (program_.passes > 0) result.insert(result.begin() + program_.passes, Affine{{}, 1});
    result.push_back(Affine{{}, cell.space});
    return result;
  }

  std::vector<pe::Statement> body_of(const Class& of) const {
    reset();
    std::vector<Visit> visits;
    std::optional<isl::set> passes;
    for (const std::size_t c : of.cells) {
      const Cell& cell = cells_[c];
      const isl::set points = points_at(cell, of.places).gist_params(as_parameters(of.places));
      visits.push_back({"c" + std::to_string(c), space(cell).coordinates, when(cell), points});
      if (program_.passes == 0) continue;
      const isl::set own = passes_of(cell, points);
      passes = passes ? passes->unite(own) : own;
    }
    if (passes) visits.push_back(visit_of(*passes));
    std::vector<pe::Statement> body = scan(
        program_, visits, as_parameters(of.places),
        [&](const std::string& tuple, const auto& coordinates) {
          if (tuple == "pass") return pe::Statement{pe::Pass{coordinates, 0}};
          const Cell& cell = cells_[static_cast<std::size_t>(std::stoul(tuple.substr(1)))];
          pe::Step step{space(cell).name, {}, cell.actions};
          for (std::size_t i = 0; i < coordinates.size(); ++i)
            step.coordinates.emplace_back(space(cell).coordinates[i], axis_or(coordinates[i], space(cell), i));
          return pe::Statement{std::move(step)};
        },
        levels_);
    name_loops(body, program_.axes);
    return body;
  }

  // A coordinate that is the place itself is called like its axis, in every role alike.
  pe::Index axis_or(const pe::Index& formula, const dataflow::Space& of, std::size_t coordinate) const {
    for (std::size_t a = 0; a < of.place.size(); ++a)
      if (of.place[a] == Affine{{{of.coordinates[coordinate], 1}}, 0}) return pe::Index(pe::Variable{program_.axes[a]});
    return formula;
  }

  // The passes in which these points are.
  isl::set passes_of(const Cell& cell, const isl::set& points) const {
    const Point& time = space(cell).time;
    const Point pass(time.begin(), time.begin() + program_.passes);
    return points.apply(map_to(*program_.context, *program_.source, space(cell).coordinates, pass));
  }

  Visit visit_of(const isl::set& passes) const {
    Visit result{"pass", {}, {}, passes};
    for (int p = 0; p < program_.passes; ++p) {
      result.coordinates.push_back("p" + std::to_string(p));
      result.time.push_back(Affine{{{result.coordinates.back(), 1}}, 0});
    }
    result.time.resize(program_.spaces.front().time.size() + 2); // the flag, the rest of time and the space, all 0
    return result;
  }

  const dataflow::Program& program_;
  const std::vector<Order>& orders_;
  const std::vector<Cell>& cells_;
  mutable int levels_ = all_levels; // of loops that are divided in all roles
};

} // namespace

std::vector<pe::Role> roles_of(const dataflow::Program& program, const std::vector<Order>& orders,
                               const std::vector<Cell>& cells) {
  return Caster(program, orders, cells).run();
}

} // namespace cyclotron::lower
