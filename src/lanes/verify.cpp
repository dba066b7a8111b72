// SPDX-License-Identifier: MIT
// The invariants of ir.hpp, for all sizes.
#include "lanes/copies.hpp"
#include "lanes/flows.hpp"
#include "lanes/placed.hpp"
#include "lanes/rule_order.hpp"
#include "lanes/slots.hpp"
#include "lanes/strips.hpp"
#include "lanes/time_and_place.hpp"

#include <isl/ctx.h>

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lanes {

using namespace recurrence;

namespace {

class Verifier {
public:
  explicit Verifier(const Program& program) : program_(program), flow_(program.flow) {}

  std::string run() {
    std::string problem = problem_of_shape();
    if (problem.empty()) problem = dataflow::problem_of(flow_);
    if (problem.empty()) problem = problem_of_time();
    if (!problem.empty()) return problem;
    flows_ = flows_of(flow_);
    for (const Flow& f : flows_) {
      isl_ctx_reset_operations(flow_.context->get().get());
      if (problem = problem_of_flow(f); !problem.empty()) return problem;
    }
    if (!rules_in_order(flow_.rules.size(), needs_at_one_time(flow_, flows_)))
      return "rules of one time need each other in a circle";
    problem = problem_of_strips();
    for (const Placed& p : program_.placed)
      if (problem.empty()) problem = problem_of_placed(program_, p).value_or(PlacedProblem{}).message;
    return problem;
  }

private:
  const dataflow::Space& space(int s) const { return flow_.spaces[static_cast<std::size_t>(s)]; }

  std::string where(const isl::set& set, int of) const {
    const auto witness = find_witness(set, *flow_.source, space(of).coordinates);
    return witness ? witness->describe() : to_string(set);
  }

  std::string problem_of_shape() const {
    const std::int64_t lanes = program_.shape.lanes;
    if (lanes < 1 || (lanes & (lanes - 1)) != 0)
      return fmt::format("a vector has a power of two of lanes, not {}", lanes);
    if (program_.shape.per_lane < 1) return "a lane has one element at least";
    if (flow_.axes.size() > 1) return fmt::format("lanes are an array of one axis, not of {}", flow_.axes.size());
    for (const dataflow::Value& v : flow_.values)
      if (!v.tile.empty()) return fmt::format("`{}` is a tile, and lanes hold numbers", v.name);
    if (program_.copies.size() != flow_.values.size()) return "copies are not those of the values";
    return "";
  }

  std::string problem_of_time() const {
    const std::vector<Component> components = components_of(flow_);
    if (program_.time.size() != components.size()) return "the time of the spaces has another length";
    bool others = false;
    for (std::size_t c = 0; c < components.size(); ++c) {
      const Component& component = program_.time[c];
      if (component.constant != components[c].constant || component.name != components[c].name)
        return fmt::format("component {} of the time is `{}`", c + 1, components[c].name);
      if (component.worker && component.constant) return "a phase has no iterations that workers could do";
      if (component.worker && others)
        return fmt::format("workers do the outer loops: `{}` is inside of another component", component.name);
      others |= !component.worker;
    }
    if (const std::string problem = problem_of_unrolled(); !problem.empty()) return problem;
    for (std::size_t s = 0; s < flow_.spaces.size(); ++s)
      if (!coordinates_at(program_, static_cast<int>(s)))
        return fmt::format("time and place do not tell the points of space `{}` apart", flow_.spaces[s].name);
    return "";
  }

  std::string problem_of_unrolled() const {
    const Component* around = nullptr;
    for (std::size_t c = 0; c < program_.time.size(); ++c) {
      const Component& component = program_.time[c];
      if (component.unrolled && (component.worker || component.constant))
        return fmt::format("`{}` is written out, and no loop of one worker", component.name);
      if (component.unrolled && !extent_of(program_, c))
        return fmt::format("`{}` is written out, and its number of iterations depends on sizes", component.name);
      if (around && !component.unrolled && !component.constant)
        return fmt::format("`{}` is written out, and the loop `{}` is inside of it", around->name, component.name);
      if (component.unrolled) around = &component;
    }
    return "";
  }

  std::string problem_of_flow(const Flow& f) const {
    const int reader = flow_.rules[f.rule].space;
    if (const isl::set broken = out_of_step(flow_, f); !broken.is_empty())
      return fmt::format("`{}` of space `{}` is read before it is computed: {}", f.what.value, space(f.what.space).name,
                         where(broken, reader));
    for (std::size_t c = 0; c < program_.time.size(); ++c)
      if (program_.time[c].worker && f.steps[c] != 0)
        return fmt::format("`{}` of space `{}` comes from another iteration of `{}`, which workers do at once: {}",
                           f.what.value, space(f.what.space).name, program_.time[c].name,
                           where(part_where(flow_, f, {condition_of(f.later[c], Relation::not_equal, {})}), reader));
    if (program_.copies[number_of_value(flow_, f.what.space, f.what.value)]) return "";
    const auto refuse = [&](Relation relation) -> std::string {
      const isl::set part = part_where(flow_, f, {condition_of(f.beyond, relation, {})});
      if (part.is_empty()) return "";
      return fmt::format("strips are {}, but `{}` of space `{}` comes from another place: {}", name_of(program_.strips),
                         f.what.value, space(f.what.space).name, where(part, reader));
    };
    if (program_.strips == Strips::parallel) return refuse(Relation::not_equal);
    if (program_.strips == Strips::rising) return refuse(Relation::less);
    return program_.strips == Strips::falling ? refuse(Relation::greater) : "";
  }

  std::string problem_of_strips() const {
    const isl::set places = places_of(flow_, program_.from);
    const isl::set inside = program_.strips == Strips::one
                                ? places.intersect(place_between(flow_, 0, program_.shape.elements() - 1))
                                : places.intersect(place_between(flow_, 0, std::nullopt));
    if (places.is_subset(inside)) return "";
    const auto witness = find_witness(places.subtract(inside), *flow_.source, {"element"});
    return fmt::format("an element is outside of the strips: {}", witness ? witness->describe() : "");
  }

  const Program& program_;
  const dataflow::Program& flow_;
  std::vector<Flow> flows_;
};

} // namespace

std::string problem_of(const Program& program) { return Verifier(program).run(); }

} // namespace cyclotron::lanes
