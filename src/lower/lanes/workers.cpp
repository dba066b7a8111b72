// SPDX-License-Identifier: MIT
#include "lower/lanes/workers.hpp"

#include "lanes/copies.hpp"
#include "lanes/flows.hpp"
#include "lower/lanes/reload.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using lanes::Component;
using lanes::Flow;
using lanes::Workers;

namespace {

class WorkerFinder {
public:
  WorkerFinder(lanes::Program& program, const LaneMachine& machine, Diagnostics& diagnostics)
      : program_(program), machine_(machine), diagnostics_(diagnostics), flows_(lanes::flows_of(program.flow)) {}

  bool run() {
    program_.time = lanes::components_of(program_.flow);
    const int before = diagnostics_.errors();
    for (const WorkerLoop& loop : machine_.workers) take(loop);
    if (diagnostics_.errors() != before) return false;
    std::vector<std::size_t> rest;
    bool leads = true;
    for (std::size_t c = 0; c < program_.time.size(); ++c) {
      if (program_.time[c].worker) continue;
      leads &= program_.time[c].constant || !first_between(c);
      program_.time[c].worker = leads && !program_.time[c].constant;
      (program_.time[c].worker ? order_ : rest).push_back(c);
    }
    order_.insert(order_.end(), rest.begin(), rest.end());
    load_copies_of_others();
    reorder();
    return true;
  }

private:
  // What comes from another iteration and cannot be loaded again.
  const Flow* first_between(std::size_t c) const {
    for (const Flow& f : flows_)
      if (f.steps[c] != 0 && !can_be_loaded(f)) return &f;
    return nullptr;
  }

  bool can_be_loaded(const Flow& f) const {
    const auto& copy = program_.copies[lanes::number_of_value(program_.flow, f.what.space, f.what.value)];
    return copy && !machine_.streamed.count(copy->tensor);
  }

  void take(const WorkerLoop& loop) {
    const auto& time = program_.time;
    const std::string name = machine_.loop_named(loop.name);
    const auto found =
        std::find_if(time.begin(), time.end(), [&](const Component& c) { return !c.constant && c.name == name; });
    if (found == time.end()) {
      std::string names;
      for (const Component& c : time)
        if (!c.constant) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", c.name);
      diagnostics_.error(loop.span, fmt::format("`{}` is no loop around the lanes", loop.name))
          .with_hint(names.empty() ? "there are none" : "the steps of this program are " + names);
      return;
    }
    const auto c = static_cast<std::size_t>(found - time.begin());
    if (const Flow* f = first_between(c)) return report(loop, c, *f);
    program_.time[c].worker = true;
    program_.time[c].workers = loop.workers;
    order_.push_back(c);
  }

  void report(const WorkerLoop& loop, std::size_t c, const Flow& f) {
    const dataflow::Rule& rule = program_.flow.rules[f.rule];
    const auto& spaces = program_.flow.spaces;
    const auto& names = spaces[static_cast<std::size_t>(rule.space)].coordinates;
    const isl::set other = lanes::part_where(program_.flow, f, {condition_of(f.later[c], Relation::not_equal, {})});
    const auto witness = find_witness(other, *program_.flow.source, names);
    std::string points;
    if (witness) {
      const auto text = [&](const dataflow::Space& space, const Point& point) {
        std::string out;
        for (const Affine& a : point)
          out += fmt::format("{}{}", out.empty() ? "" : ", ",
                             a.evaluate([&](const std::string& name) { return witness->value_of(name); }));
        return fmt::format("({}) of `{}`", out, space.name);
      };
      const dataflow::Space& reader = spaces[static_cast<std::size_t>(rule.space)];
      const dataflow::Space& producer = spaces[static_cast<std::size_t>(f.what.space)];
      points = fmt::format(": point {} needs point {}", text(reader, dataflow::own_point(reader)),
                           text(producer, f.what.point));
      std::string sizes;
      for (const auto& [size, value] : witness->sizes)
        sizes += fmt::format("{} {} = {}", sizes.empty() ? ", when" : ",", size, value);
      points += sizes;
    }
    diagnostics_
        .error(loop.span, fmt::format("`{} {}` runs iterations at once that need each other{}",
                                      lanes::name_of(loop.workers), loop.name, points))
        .note(rule.span, fmt::format("`{}` is read here", f.what.value))
        .with_hint("give workers a loop whose iterations need nothing of each other, or leave the command out");
  }

  void load_copies_of_others() {
    std::size_t loads = 0;
    reload(program_.flow, program_.copies, [&](const Flow& f) {
      bool between = false;
      for (const std::size_t c : order_) between |= program_.time[c].worker && f.steps[c] != 0;
      loads += between;
      return between;
    });
    if (loads > 0) program_.copies = lanes::copies_of(program_.flow);
  }

  void reorder() {
    std::vector<Component> time;
    for (const std::size_t c : order_) time.push_back(program_.time[c]);
    program_.time = std::move(time);
    for (dataflow::Space& s : program_.flow.spaces) {
      Point ordered;
      for (const std::size_t c : order_) ordered.push_back(s.time[c]);
      s.time = std::move(ordered);
    }
  }

  lanes::Program& program_;
  const LaneMachine& machine_;
  Diagnostics& diagnostics_;
  std::vector<Flow> flows_;
  std::vector<std::size_t> order_; // of the components: those of workers first
};

} // namespace

bool find_workers(lanes::Program& program, const LaneMachine& machine, Diagnostics& diagnostics) {
  return WorkerFinder(program, machine, diagnostics).run();
}

} // namespace cyclotron::lower
