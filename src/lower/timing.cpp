// SPDX-License-Identifier: MIT
#include "lower/timing.hpp"

#include <isl/ctx.h>
#include <isl/map.h>

#include <algorithm>

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::Program;

namespace {

// The timing of a space in its own coordinates.
Affine step_in(const dataflow::Space& space, const Affine& step, std::int64_t delay) {
  Affine result{{}, step.constant + delay};
  for (const auto& [name, c] : step.terms)
    if (const auto at = space.as.find(name); at != space.as.end()) result = result + c * at->second;
  return result;
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
  const Affine here = step_in(reader, timing.step, timing.delay[static_cast<std::size_t>(f.reader)]);
  const Affine there = substitute(step_in(producer, timing.step, timing.delay[static_cast<std::size_t>(f.producer)]), primed);
  const isl::set set = set_where(*p.context, *p.source, both,
                                 {condition_of(here, Relation::less, there + Affine{{}, needed})}, false);
  isl_map* map = isl_map_from_range(set.copy());
  map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(reader.coordinates.size()));
  return isl::manage(map);
}

} // namespace

std::string late_operand(const Program& program, const std::vector<PointFlow>& flows, const Timing& timing) {
  for (const PointFlow& f : flows) {
    if (f.points.intersect(too_early(program, f, timing, 1)).is_empty()) continue;
    return fmt::format("`{}` of space {}, which space {} reads", f.value,
                       program.spaces[static_cast<std::size_t>(f.producer)].name,
                       program.spaces[static_cast<std::size_t>(f.reader)].name);
  }
  return "";
}

std::optional<Timing> find_timing(const Program& program, const std::vector<std::string>& names) {
  const std::vector<PointFlow> flows = flows_of(program);
  if (names.size() > 5) return std::nullopt; // too many to try
  // By the sum of their sizes, so that the fastest comes first.
  std::vector<std::vector<int>> choices = {{}};
  for (std::size_t n = 0; n < names.size(); ++n) {
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
  for (const auto& c : choices) {
    isl_ctx_reset_operations(program.context->get().get());
    Timing timing;
    for (std::size_t n = 0; n < names.size(); ++n)
      if (c[n] != 0) timing.step.terms[names[n]] = c[n];
    timing.delay.assign(program.spaces.size(), 0);
    if (late_operand(program, flows, timing).empty()) return timing;
  }
  return std::nullopt;
}

} // namespace cyclotron::lower
