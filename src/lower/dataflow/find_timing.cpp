// SPDX-License-Identifier: MIT
#include "lower/dataflow/find_timing.hpp"

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::PointFlow;
using dataflow::Timing;

namespace {

// Of one pair of points of every flow: how far apart they are in each name, and the steps that this must take.
std::vector<std::vector<std::int64_t>> sample_distances(const dataflow::Program& program,
                                                        const std::vector<PointFlow>& flows,
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
    distance.push_back(dataflow::steps_needed(program, f));
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

Timing timing_of(const dataflow::Program& program, const Affine& formula, const std::set<int>& fetches) {
  Timing timing{formula, {}};
  for (const dataflow::Space& space : program.spaces) {
    std::optional<Affine> step;
    if (!fetches.count(static_cast<int>(timing.steps.size()))) {
      step = Affine{{}, formula.constant};
      for (const auto& [name, c] : formula.terms)
        if (const auto at = space.as.find(name); at != space.as.end()) step = *step + c * at->second;
    }
    timing.steps.push_back(std::move(step));
  }
  return timing;
}

std::optional<Timing> find_timing(const dataflow::Program& program, const TimingSearch& among) {
  const auto& [names, fetches] = among;
  if (names.size() > 6) return std::nullopt; // too many to try
  const std::vector<PointFlow> flows = flows_in_pass(program, [&](int space) { return !among.fetches.count(space); });
  const std::vector<std::vector<std::int64_t>> samples = sample_distances(program, flows, names);
  for (const std::vector<int>& c : coefficients_by_size(names.size())) {
    const bool possible = std::all_of(samples.begin(), samples.end(), [&](const std::vector<std::int64_t>& distance) {
      std::int64_t steps = 0;
      for (std::size_t n = 0; n < names.size(); ++n) steps += c[n] * distance[n];
      return steps >= distance.back();
    });
    if (!possible) continue;
    isl_ctx_reset_operations(program.context->get().get());
    Affine formula;
    for (std::size_t n = 0; n < names.size(); ++n)
      if (c[n] != 0) formula.terms[names[n]] = c[n];
    Timing timing = timing_of(program, formula, fetches);
    if (!late_operand(program, flows, timing) && !crowded_place(program, timing)) return timing;
  }
  return std::nullopt;
}

} // namespace cyclotron::lower
