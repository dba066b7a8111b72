// SPDX-License-Identifier: MIT
#include "dataflow/timing.hpp"

#include <algorithm>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

const Affine& step_of(const Timing& timing, int space) { return *timing.steps[static_cast<std::size_t>(space)]; }

// { x -> y : x comes before y, by their coordinates }
isl::map earlier_point(const isl::map& of) {
  return isl::manage(isl_map_lex_lt(isl_space_domain(isl_map_get_space(of.get()))));
}

} // namespace

bool only_loads(const Program& program, int space) {
  return std::all_of(program.rules.begin(), program.rules.end(),
                     [&](const Rule& r) { return r.space != space || r.supply == Supply::direct; });
}

std::int64_t steps_needed(const Program& program, const PointFlow& flow) {
  return only_loads(program, flow.producer) && flow.hops == 0 ? 0 : std::max<std::int64_t>(1, flow.hops);
}

std::vector<PointFlow> flows_in_pass(const Program& program, const std::function<bool(int space)>& has_steps) {
  std::vector<PointFlow> result;
  for (PointFlow& f : flows_of(program)) {
    if (!has_steps(f.producer) || !has_steps(f.reader)) continue;
    const Space& reader = program.spaces[static_cast<std::size_t>(f.reader)];
    const Space& producer = program.spaces[static_cast<std::size_t>(f.producer)];
    for (std::size_t p = 0; p < static_cast<std::size_t>(program.passes); ++p)
      f.points =
          f.points.intersect(related(program, f.reader, reader.time[p], Relation::equal, f.producer, producer.time[p]));
    if (!f.points.is_empty()) result.push_back(std::move(f));
  }
  return result;
}

std::optional<LateOperand> late_operand(const Program& program, const std::vector<PointFlow>& flows,
                                        const Timing& timing) {
  for (const PointFlow& f : flows) {
    const Affine ready = step_of(timing, f.producer) + Affine{{}, steps_needed(program, f)};
    const isl::map late =
        f.points.intersect(related(program, f.reader, step_of(timing, f.reader), Relation::less, f.producer, ready));
    if (!late.is_empty()) return LateOperand{&f, late.domain()};
  }
  return std::nullopt;
}

std::optional<CrowdedPlace> crowded_place(const Program& program, const Timing& timing, SharedSteps shared) {
  const auto takes_time = [&](int space) {
    return timing.steps[static_cast<std::size_t>(space)].has_value() && !only_loads(program, space);
  };
  const int count = static_cast<int>(program.spaces.size());
  for (int a = 0; a < count; ++a)
    for (int b = 0; b <= a; ++b) {
      if (!takes_time(a) || !takes_time(b) || (shared == SharedSteps::yes && a != b)) continue;
      const Space& x = program.spaces[static_cast<std::size_t>(a)];
      const Space& y = program.spaces[static_cast<std::size_t>(b)];
      isl::map meet = related(program, a, step_of(timing, a), Relation::equal, b, step_of(timing, b))
                          .intersect_domain(x.domain)
                          .intersect_range(y.domain);
      for (std::size_t p = 0; p < program.axes.size(); ++p)
        meet = meet.intersect(related(program, a, x.place[p], Relation::equal, b, y.place[p]));
      for (std::size_t t = 0; t < static_cast<std::size_t>(program.passes); ++t)
        meet = meet.intersect(related(program, a, x.time[t], Relation::equal, b, y.time[t]));
      if (a == b) meet = meet.intersect(earlier_point(meet)); // either one of two
      if (!meet.is_empty()) return CrowdedPlace{a, b, meet};
    }
  return std::nullopt;
}

std::optional<Affine> step_by_names(const Timing& timing, const Space& space, const recurrence::Program& source) {
  for (const auto& [name, c] : timing.formula.terms)
    if (!source.is_size(name) && !std::count(space.coordinates.begin(), space.coordinates.end(), name))
      return std::nullopt;
  return timing.formula;
}

std::string print(const Timing& timing) { return "t = " + recurrence::print(timing.formula); }

} // namespace cyclotron::dataflow
