// SPDX-License-Identifier: MIT
#include "lower/dataflow/find_steps.hpp"

#include "lower/dataflow/dataflow_builder.hpp"

#include <isl/ctx.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

using Signs = std::map<std::string, int>; // of steps: -1 where one counts down

constexpr std::size_t most_turned = 4; // steps inside of these only count up

class StepFinder {
public:
  StepFinder(const ArrayEquations& equations, const Mapping& mapping, Diagnostics& diagnostics)
      : equations_(equations), mapping_(mapping), diagnostics_(diagnostics) {}

  std::optional<LoweredDataflow> run() {
    TimeOrder first_problem;
    for (const bool across : {true, false})
      for (unsigned turned = 0; turned < (1U << std::min(mapping_.time.size(), most_turned)); ++turned) {
        const Signs signs = signs_of(turned);
        if (is_refused(signs, across)) continue;
        isl_ctx_reset_operations(equations_.context->get().get());
        Built& built = built_with(signs, turned == 0 && across);
        if (!built.program && turned == 0 && across) return std::nullopt;
        if (!built.program) continue;
        const TimeOrder order =
            order_in_time(*built.program, built.flows, mapping_.time, signs, across ? mapping_.time.size() : 0);
        if (order.problem.empty()) return finished(std::move(*built.program), order, built.extra_time);
        if (first_problem.problem.empty()) first_problem = order;
        refused_.push_back({signs, order.decided, across});
      }
    diagnostics_
        .error(first_problem.span.file >= 0 ? first_problem.span : mapping_.time_span,
               "no order of these steps respects all dependences")
        .note(first_problem.problem)
        .with_hint(fmt::format("try another `time` than `time {}`, or other axes", fmt::join(mapping_.time, ", ")));
    return std::nullopt;
  }

private:
  // A program depends only on the directions of the steps that some sum runs over.
  struct Built {
    std::optional<dataflow::Program> program;
    std::map<int, Point> extra_time;
    std::vector<dataflow::PointFlow> flows;
  };
  // Directions that violate a dependence, which shows in the first steps and in the sums.
  struct Refused {
    Signs signs;
    std::size_t decided = 0;
    bool across = false;
  };

  Signs signs_of(unsigned turned) const {
    Signs signs;
    for (std::size_t t = 0; t < mapping_.time.size(); ++t)
      signs[mapping_.time[t]] = t < most_turned && (turned >> t & 1) ? -1 : 1;
    return signs;
  }

  Signs of_sums(const Signs& signs) const {
    Signs result;
    for (const ArrayEquation& e : equations_.equations)
      for (const ArrayEquation::Sum& sum : e.sums)
        for (const std::string& v : sum.own)
          if (const auto at = signs.find(v); at != signs.end()) result.insert(*at);
    return result;
  }

  bool is_refused(const Signs& signs, bool across) const {
    return std::any_of(refused_.begin(), refused_.end(), [&](const Refused& r) {
      if (r.across != across || of_sums(r.signs) != of_sums(signs)) return false;
      return std::all_of(mapping_.time.begin(), mapping_.time.begin() + static_cast<std::ptrdiff_t>(r.decided),
                         [&](const std::string& t) { return r.signs.at(t) == signs.at(t); });
    });
  }

  Built& built_with(const Signs& signs, bool reports) {
    const auto [at, is_new] = built_.try_emplace(of_sums(signs));
    Built& built = at->second;
    if (!is_new) return built;
    Diagnostics attempt(diagnostics_.sources());
    DataflowBuilder builder(equations_, mapping_, signs, reports ? diagnostics_ : attempt);
    built.program = builder.run();
    built.extra_time = builder.extra_time();
    if (built.program) built.flows = flows_of(*built.program);
    return built;
  }

  LoweredDataflow finished(dataflow::Program program, const TimeOrder& order, const std::map<int, Point>& extra) const {
    const std::size_t passes = passes_of(mapping_);
    program.passes = static_cast<int>(2 * passes);
    set_times(program, order, extra);
    TimingSearch among{mapping_.space, {}};
    for (const auto& [space, order_of_it] : extra) among.fetches.insert(space);
    among.names.insert(among.names.end(), mapping_.time.begin() + static_cast<std::ptrdiff_t>(passes),
                       mapping_.time.end());
    if (!mapping_.steps_are_loops) program.timing = find_timing(program, among);
    return {std::move(program), mapping_, false, std::move(among)};
  }

  const ArrayEquations& equations_;
  const Mapping& mapping_;
  Diagnostics& diagnostics_;
  std::map<Signs, Built> built_;
  std::vector<Refused> refused_;
};

// Components of time that are the same number everywhere say nothing.
void drop_constant_steps(dataflow::Program& program) {
  if (program.spaces.empty()) return;
  for (std::size_t c = program.spaces[0].time.size(); c-- > 0;) {
    const Affine& first = program.spaces[0].time[c];
    if (!first.is_constant() || std::any_of(program.spaces.begin(), program.spaces.end(),
                                            [&](const dataflow::Space& s) { return s.time[c] != first; }))
      continue;
    for (dataflow::Space& s : program.spaces) s.time.erase(s.time.begin() + static_cast<std::ptrdiff_t>(c));
    if (static_cast<int>(c) < program.passes) --program.passes;
  }
}

} // namespace

void set_times(dataflow::Program& program, const TimeOrder& order, const std::map<int, Point>& extra) {
  std::size_t longest = 0;
  for (const auto& [s, more] : extra) longest = std::max(longest, more.size());
  for (std::size_t s = 0; s < program.spaces.size(); ++s) {
    Point time = order.times[s];
    const auto more = extra.find(static_cast<int>(s));
    for (std::size_t x = 0; x < longest; ++x)
      time.push_back(more != extra.end() && x < more->second.size() ? more->second[x] : Affine{});
    program.spaces[s].time = time;
  }
  drop_constant_steps(program);
}

std::optional<LoweredDataflow> with_steps(const ArrayEquations& equations, const Mapping& mapping,
                                          Diagnostics& diagnostics) {
  return StepFinder(equations, mapping, diagnostics).run();
}

} // namespace cyclotron::lower
