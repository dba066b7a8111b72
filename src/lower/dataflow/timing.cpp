// SPDX-License-Identifier: MIT
#include "lower/dataflow/timing.hpp"

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::Program;

namespace {

// Whether all points of a space only load, each by a port of its own: that takes no time.
bool only_loads(const Program& program, int space) {
  return std::all_of(program.rules.begin(), program.rules.end(),
                     [&](const dataflow::Rule& r) { return r.space != space || r.supply == dataflow::Supply::direct; });
}

// One per link, and one where a value stays; none where it is only loaded.
std::int64_t steps_needed(const Program& program, const PointFlow& flow) {
  return only_loads(program, flow.producer) && flow.hops == 0 ? 0 : std::max<std::int64_t>(1, flow.hops);
}

// { x -> y : step(x) < step(y) + needed }.
isl::map too_early(const Program& p, const PointFlow& f, const Timing& timing, std::int64_t needed) {
  const auto& reader = p.spaces[static_cast<std::size_t>(f.reader)];
  const auto& producer = p.spaces[static_cast<std::size_t>(f.producer)];
  std::vector<std::string> both = reader.coordinates;
  std::map<std::string, Affine> primed;
  for (const std::string& n : producer.coordinates) {
    both.push_back(n + "'");
    primed[n] = Affine{{{n + "'", 1}}, 0};
  }
  const Affine here = step_in(reader, timing, static_cast<std::size_t>(f.reader));
  const Affine there = substitute(step_in(producer, timing, static_cast<std::size_t>(f.producer)), primed);
  const isl::set set =
      set_where(*p.context, *p.source, both, {condition_of(here, Relation::less, there + Affine{{}, needed})}, false);
  isl_map* map = isl_map_from_range(set.copy());
  map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(reader.coordinates.size()));
  return isl::manage(map);
}

// Of one pair of points of every flow: how far apart they are in each name, and the steps that this must take.
std::vector<std::vector<std::int64_t>> sample_distances(const Program& program, const std::vector<PointFlow>& flows,
                                                        const std::vector<std::string>& names) {
  std::vector<std::vector<std::int64_t>> result;
  for (const PointFlow& f : flows) {
    const dataflow::Space& reader = program.spaces[static_cast<std::size_t>(f.reader)];
    const dataflow::Space& producer = program.spaces[static_cast<std::size_t>(f.producer)];
    std::vector<std::string> both = reader.coordinates;
    for (const std::string& n : producer.coordinates) both.push_back(n + "'");
    const isl::set pairs = isl::manage(isl_set_flatten(isl_map_wrap(f.points.copy())));
    const auto witness = find_witness(pairs, *program.source, both);
    if (!witness) continue;
    std::vector<std::int64_t> distance;
    for (const std::string& n : names) {
      const auto here = reader.as.find(n), there = producer.as.find(n);
      std::int64_t d = 0;
      if (here != reader.as.end())
        d += here->second.evaluate([&](const std::string& v) { return witness->value_of(v); });
      if (there != producer.as.end())
        d -= there->second.evaluate(
            [&](const std::string& v) { return witness->value_of(program.source->is_size(v) ? v : v + "'"); });
      distance.push_back(d);
    }
    distance.push_back(steps_needed(program, f));
    result.push_back(std::move(distance));
  }
  return result;
}

// Small coefficients, by the sum of their sizes: the first that fit give the fastest array.
std::vector<std::vector<int>> coefficients_by_size(std::size_t count) {
  std::vector<std::vector<int>> choices = {{}};
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<std::vector<int>> longer;
    for (const auto& c : choices)
      for (const int k : {1, 0, 2, -1, -2}) {
        longer.push_back(c);
        longer.back().push_back(k);
      }
    choices = std::move(longer);
  }
  const auto size = [](const std::vector<int>& c) {
    int sum = 0;
    for (const int k : c) sum += k < 0 ? -k : k;
    return sum;
  };
  std::stable_sort(choices.begin(), choices.end(), [&](const auto& a, const auto& b) { return size(a) < size(b); });
  return choices;
}

} // namespace

Affine step_in(const dataflow::Space& space, const Timing& timing, std::size_t number) {
  Affine result{{}, timing.step.constant + timing.delay[number]};
  for (const auto& [name, c] : timing.step.terms)
    if (const auto at = space.as.find(name); at != space.as.end()) result = result + c * at->second;
  return result;
}

std::vector<PointFlow> flows_in_pass(const Program& program, const std::set<int>& fetches) {
  std::vector<PointFlow> result;
  for (PointFlow& f : flows_of(program)) {
    if (fetches.count(f.producer) || fetches.count(f.reader)) continue;
    const dataflow::Space& reader = program.spaces[static_cast<std::size_t>(f.reader)];
    const dataflow::Space& producer = program.spaces[static_cast<std::size_t>(f.producer)];
    for (std::size_t p = 0; p < static_cast<std::size_t>(program.passes); ++p)
      f.points =
          f.points.intersect(related(program, f.reader, reader.time[p], Relation::equal, f.producer, producer.time[p]));
    if (!f.points.is_empty()) result.push_back(std::move(f));
  }
  return result;
}

std::string late_operand(const Program& program, const std::vector<PointFlow>& flows, const Timing& timing) {
  for (const PointFlow& f : flows) {
    if (f.points.intersect(too_early(program, f, timing, steps_needed(program, f))).is_empty()) continue;
    return fmt::format("`{}` of space {}, which space {} reads", f.value,
                       program.spaces[static_cast<std::size_t>(f.producer)].name,
                       program.spaces[static_cast<std::size_t>(f.reader)].name);
  }
  return "";
}

std::string crowded_place(const Program& program, const std::set<int>& fetches, const Timing& timing) {
  const int count = static_cast<int>(program.spaces.size());
  for (int a = 0; a < count; ++a)
    for (int b = 0; b <= a; ++b) {
      if (fetches.count(a) || fetches.count(b) || only_loads(program, a) || only_loads(program, b)) continue;
      const dataflow::Space& x = program.spaces[static_cast<std::size_t>(a)];
      const dataflow::Space& y = program.spaces[static_cast<std::size_t>(b)];
      isl::map meet = related(program, a, step_in(x, timing, static_cast<std::size_t>(a)), Relation::equal, b,
                              step_in(y, timing, static_cast<std::size_t>(b)))
                          .intersect_domain(x.domain)
                          .intersect_range(y.domain);
      for (std::size_t p = 0; p < program.axes.size(); ++p)
        meet = meet.intersect(related(program, a, x.place[p], Relation::equal, b, y.place[p]));
      for (std::size_t t = 0; t < static_cast<std::size_t>(program.passes); ++t)
        meet = meet.intersect(related(program, a, x.time[t], Relation::equal, b, y.time[t]));
      if (a == b)
        meet = meet.subtract(map_to(*program.context, *program.source, x.coordinates, dataflow::own_point(x)));
      if (!meet.is_empty())
        return a == b ? fmt::format("two points of space {}", x.name)
                      : fmt::format("points of the spaces {} and {}", y.name, x.name);
    }
  return "";
}

std::optional<Timing> find_timing(const Program& program, const std::vector<PointFlow>& flows,
                                  const std::vector<std::string>& names, const std::set<int>& fetches) {
  if (names.size() > 6) return std::nullopt; // too many to try
  const std::vector<std::vector<std::int64_t>> samples = sample_distances(program, flows, names);
  for (const std::vector<int>& c : coefficients_by_size(names.size())) {
    const bool possible = std::all_of(samples.begin(), samples.end(), [&](const std::vector<std::int64_t>& distance) {
      std::int64_t steps = 0;
      for (std::size_t n = 0; n < names.size(); ++n) steps += c[n] * distance[n];
      return steps >= distance.back();
    });
    if (!possible) continue;
    isl_ctx_reset_operations(program.context->get().get());
    Timing timing;
    for (std::size_t n = 0; n < names.size(); ++n)
      if (c[n] != 0) timing.step.terms[names[n]] = c[n];
    timing.delay.assign(program.spaces.size(), 0);
    if (late_operand(program, flows, timing).empty() && crowded_place(program, fetches, timing).empty()) return timing;
  }
  return std::nullopt;
}

std::string print(const Timing& timing) { return "t = " + recurrence::print(timing.step); }

} // namespace cyclotron::lower
