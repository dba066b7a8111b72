// SPDX-License-Identifier: MIT
#include "lower/lanes/keep_step.hpp"

#include "lanes/copies.hpp"
#include "lanes/flows.hpp"
#include "lanes/rule_order.hpp"
#include "lanes/time_and_place.hpp"
#include "lower/lanes/fetch_values.hpp"
#include "lower/lanes/idle_parts.hpp"
#include "lower/lanes/other_targets.hpp"
#include "lower/lanes/reload.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using lanes::Flow;

namespace {

class StepKeeper {
public:
  StepKeeper(const LaneMachine& machine, const std::optional<TimingSearch>& timing, Diagnostics& diagnostics)
      : machine_(machine), timing_(timing), diagnostics_(diagnostics) {}

  std::optional<lanes::Program> run(const dataflow::Program& program) {
    if (auto made = in_step(program)) return made;
    dataflow::Program fetched = program;
    while (fetch_where_used(fetched)) {}
    if (machine_.times_are_given) {
      report_first_violation(fetched);
      return std::nullopt;
    }
    const auto turns = in_turns(fetched);
    // A sum along the lanes when all is done costs less than starting all elements one after the other.
    if (turns && turns->loops < most_loops(fetched))
      if (auto made = in_step(turns->program)) return made;
    if (auto made = in_step_skewed(program)) return made;
    if (const auto timing = timing_of(program))
      if (auto made = in_step(by_timing(program, *timing))) return made;
    if (turns)
      if (auto made = in_step(turns->program)) return made;
    report_first_violation(fetched);
    return std::nullopt;
  }

private:
  // Nothing where a value would be late, or an element would do two points at once.
  std::optional<lanes::Program> in_step(dataflow::Program program) const {
    lanes::Program result;
    result.flow = std::move(program);
    result.flow.timing.reset();
    result.flow.passes = 0;
    while (fetch_where_used(result.flow)) {}
    drop_idle_parts(result.flow);
    result.copies = lanes::copies_of(result.flow);
    result.time = lanes::components_of(result.flow);
    for (std::size_t s = 0; s < result.flow.spaces.size(); ++s)
      if (!lanes::coordinates_at(result, static_cast<int>(s))) return std::nullopt;
    for (const Flow& f : lanes::flows_of(result.flow))
      if (!lanes::out_of_step(result.flow, f).is_empty()) return std::nullopt;
    return result;
  }

  // Replaces what need not travel by what it is a copy of; false where there is nothing to do.
  bool fetch_where_used(dataflow::Program& program) const {
    bool found = false;
    const auto copies = lanes::copies_of(program);
    reload(program, copies, [&](const Flow& f) {
      const bool load = !travels(program, copies, f) || (!is_streamed(copies, program, f) && is_late(program, f));
      found |= load;
      return load;
    });
    return found || fetch_value(program, [&](const Flow& f) { return is_late(program, f); });
  }

  static bool is_late(const dataflow::Program& program, const Flow& f) {
    return !f.places || !lanes::out_of_step(program, f).is_empty();
  }

  bool is_streamed(const std::vector<std::optional<lanes::Copy>>& copies, const dataflow::Program& program,
                   const Flow& f) const {
    const auto& copy = copies[lanes::number_of_value(program, f.what.space, f.what.value)];
    return copy && machine_.streamed.count(copy->tensor);
  }

  // Whether a copy goes from element to element: where the schedule wants it, and where the equations are written so.
  bool travels(const dataflow::Program& program, const std::vector<std::optional<lanes::Copy>>& copies,
               const Flow& f) const {
    if (is_streamed(copies, program, f)) return true;
    return std::none_of(program.rules.begin(), program.rules.end(), [&](const dataflow::Rule& r) {
      return r.space == f.what.space && r.value == f.what.value && r.supply != dataflow::Supply::none;
    });
  }

  std::optional<lanes::Program> in_step_skewed(const dataflow::Program& program) const {
    const std::vector<lanes::Component> components = lanes::components_of(program);
    const auto outside = static_cast<std::size_t>(program.passes);
    for (const std::int64_t by : {1, -1, 2, -2})
      for (std::size_t c = components.size(); c-- > outside;)
        if (!components[c].constant)
          if (auto made = in_step(skewed(program, c, by))) return made;
    return std::nullopt;
  }

  // Each element does every step so much after its neighbour.
  static dataflow::Program skewed(dataflow::Program program, std::size_t component, std::int64_t by) {
    for (dataflow::Space& s : program.spaces)
      if (!s.place.empty()) s.time[component] = s.time[component] + by * s.place[0];
    return program;
  }

  std::optional<dataflow::Timing> timing_of(const dataflow::Program& program) const {
    return program.timing || !timing_ ? program.timing : find_timing(program, *timing_);
  }

  // Passes stay. Then come the spaces without a step, and the others in the order of their steps.
  static dataflow::Program by_timing(dataflow::Program program, const dataflow::Timing& timing) {
    for (std::size_t s = 0; s < program.spaces.size(); ++s) {
      Point& time = program.spaces[s].time;
      time.resize(static_cast<std::size_t>(program.passes));
      const auto& step = timing.steps[s];
      time.push_back(Affine{{}, step ? 1 : 0});
      time.push_back(step.value_or(Affine{}));
    }
    return program;
  }

  // So many loops are around the points of a program.
  static std::size_t most_loops(const dataflow::Program& program) {
    std::size_t most = 0;
    for (const dataflow::Space& s : program.spaces) most = std::max(most, s.coordinates.size());
    return most;
  }

  // The elements of spaces that keep no step one after the other, within a step of the others: a sum along the lanes.
  // Nothing where they would have to go both ways.
  struct Turns {
    dataflow::Program program;
    std::size_t loops = 0; // around the points of these spaces
  };
  static std::optional<Turns> in_turns(const dataflow::Program& program) {
    std::vector<std::int64_t> way(program.spaces.size(), 0);
    for (const Flow& f : lanes::flows_of(program)) {
      if (lanes::out_of_step(program, f).is_empty()) continue;
      if (f.places.value_or(0) == 0) return std::nullopt;
      for (const int s : {program.rules[f.rule].space, f.what.space}) {
        std::int64_t& own = way[static_cast<std::size_t>(s)];
        if (own != 0 && (own > 0) != (*f.places > 0)) return std::nullopt;
        own = *f.places > 0 ? 1 : -1;
      }
    }
    Turns turns{program, 0};
    for (std::size_t s = 0; s < program.spaces.size(); ++s) {
      dataflow::Space& space = turns.program.spaces[s];
      space.time.push_back(space.place.empty() ? Affine{} : way[s] * space.place[0]);
      if (way[s] != 0) turns.loops = std::max(turns.loops, space.coordinates.size());
    }
    return turns;
  }

  void report_first_violation(const dataflow::Program& program) {
    const auto copies = lanes::copies_of(program);
    for (const Flow& f : lanes::flows_of(program)) {
      if (copies[lanes::number_of_value(program, f.what.space, f.what.value)] && !is_streamed(copies, program, f))
        continue;
      const isl::set broken = lanes::out_of_step(program, f);
      if (broken.is_empty()) continue;
      const dataflow::Rule& rule = program.rules[f.rule];
      const auto& names = program.spaces[static_cast<std::size_t>(rule.space)].coordinates;
      const auto witness = find_witness(broken, *program.source, names);
      diagnostics_
          .unsupported(rule.span,
                       fmt::format("all lanes do a step at once, but `{}` is needed in the step that computes "
                                   "it, by another element{}",
                                   f.what.value, witness ? ": " + witness->describe() : ""))
          .with_hint(fmt::format("give the elements different steps with `spacetime (i, j) -> (s, t) = [1 0; 1 1]`, or "
                                 "choose another axis; {}",
                                 other_targets));
      return;
    }
    diagnostics_
        .unsupported(program.rules.empty() ? Span{} : program.rules.front().span,
                     "by place and time, an element of these lanes would compute several points at once")
        .with_hint(fmt::format("give `time` all indices that are no axis; {}", other_targets));
  }

  const LaneMachine& machine_;
  const std::optional<TimingSearch>& timing_;
  Diagnostics& diagnostics_;
};

} // namespace

std::optional<lanes::Program> keep_step(const dataflow::Program& program, const LaneMachine& machine,
                                        const std::optional<TimingSearch>& timing, Diagnostics& diagnostics) {
  return StepKeeper(machine, timing, diagnostics).run(program);
}

} // namespace cyclotron::lower
