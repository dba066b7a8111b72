// SPDX-License-Identifier: MIT
#include "lower/dataflow/recurrence_to_dataflow.hpp"

#include "lower/contains.hpp"
#include "lower/dataflow/array_equations.hpp"
#include "lower/dataflow/find_steps.hpp"
#include "lower/dataflow/on_map.hpp"
#include "recurrence/isl_limit.hpp"
#include "support/progress.hpp"

#include <isl/ctx.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class RecurrenceToDataflow {
public:
  RecurrenceToDataflow(const frontend::Checked& checked, const Mapping& mapping, Diagnostics& diagnostics)
      : checked_(checked), mapping_(mapping), diagnostics_(diagnostics) {}

  std::optional<LoweredDataflow> run() {
    if (mapping_.spacetime) return on_map(checked_, mapping_, diagnostics_);
    if (mapping_.space_given) return with_axes(mapping_, diagnostics_);
    return with_chosen_axes();
  }

private:
  // The first choice that works.
  std::optional<LoweredDataflow> with_chosen_axes() {
    const auto choices = axis_choices(checked_, mapping_, diagnostics_);
    if (diagnostics_.failed()) return std::nullopt;
    Progress progress("choosing axes", {static_cast<std::int64_t>(choices.size()), "choices"});
    for (const auto& choice : choices) {
      progress.advance_to(&choice - choices.data());
      Mapping tried = mapping_;
      tried.space = choice;
      Diagnostics attempt(diagnostics_.sources());
      if (auto done = with_axes(tried, attempt)) {
        done->chosen = true;
        return done;
      }
    }
    Mapping tried = mapping_;
    tried.space = choices.front();
    return with_axes(tried, diagnostics_); // for its messages
  }

  void check_names(const Mapping& m, const ArrayEquations& equations, Diagnostics& diagnostics) const {
    const auto known = variables_of(equations);
    const auto check = [&](const std::vector<std::string>& names, Span span) {
      for (const std::string& n : names) {
        if (contains(known, n)) continue;
        const bool was_split =
            std::any_of(m.splits.begin(), m.splits.end(), [&](const SplitIndex& s) { return s.index == n; });
        diagnostics
            .error(span, was_split ? fmt::format("`{}` is split: its parts are indices now", n)
                                   : fmt::format("`{}` is no index of an equation that computes", n))
            .with_hint(fmt::format("the indices are {}", fmt::join(known, ", ")));
      }
    };
    check(m.space, m.space_span);
    check(m.time, m.time_span);
    for (const std::string& n : m.space)
      if (contains(m.time, n))
        diagnostics.error(m.time_span, fmt::format("`{}` is an axis of the array and a step", n))
            .with_hint("name it once");
    for (const Way& w : m.ways)
      if (!contains(known, w.along))
        diagnostics.error(w.span, fmt::format("`{}` is no index of an equation that computes", w.along))
            .with_hint(fmt::format("the indices are {}", fmt::join(known, ", ")));
  }

  std::optional<LoweredDataflow> with_axes(const Mapping& given, Diagnostics& diagnostics) const {
    const Progress progress("finding times and places");
    Mapping m = given;
    auto equations = array_equations(checked_, m, diagnostics);
    if (!equations) return std::nullopt;
    check_names(m, *equations, diagnostics);
    if (diagnostics.failed()) return std::nullopt;
    complete_time(m, *equations);
    return with_steps(*equations, m, diagnostics);
  }

  // Indices that the schedule does not name are steps, inside of those that it names.
  static void complete_time(Mapping& m, const ArrayEquations& equations) {
    for (const std::string& v : variables_of(equations))
      if (!contains(m.space, v) && !contains(m.time, v)) m.time.push_back(v);
  }

  const frontend::Checked& checked_;
  const Mapping& mapping_;
  Diagnostics& diagnostics_;
};

// How many equations have all of these on their left-hand side.
std::size_t rank(const ArrayEquations& equations, const std::vector<std::string>& axes) {
  std::size_t count = 0;
  for (const ArrayEquation& e : equations.equations)
    count += !e.constant &&
             std::all_of(axes.begin(), axes.end(), [&](const std::string& a) { return contains(e.variables, a); });
  return count;
}

} // namespace

std::vector<std::vector<std::string>> axis_choices(const frontend::Checked& checked, const Mapping& mapping,
                                                   Diagnostics& diagnostics) {
  std::vector<std::vector<std::string>> choices;
  const auto equations = array_equations(checked, mapping, diagnostics);
  if (!equations) return choices;
  std::vector<std::string> candidates;
  for (const std::string& v : variables_of(*equations))
    if (!contains(mapping.time, v)) candidates.push_back(v);
  for (std::size_t a = 0; a < candidates.size(); ++a)
    for (std::size_t b = a + 1; b < candidates.size(); ++b) choices.push_back({candidates[a], candidates[b]});
  std::stable_sort(choices.begin(), choices.end(),
                   [&](const auto& x, const auto& y) { return rank(*equations, x) > rank(*equations, y); });
  for (const std::string& c : candidates) choices.push_back({c});
  choices.push_back({});
  return choices;
}

std::optional<LoweredDataflow> recurrence_to_dataflow(const frontend::Checked& checked, const Mapping& mapping,
                                                      Diagnostics& diagnostics) {
  const Question asked{mapping.spacetime ? mapping.spacetime->span : mapping.space_span,
                       "how values travel on this array",
                       "choose other axes, or fewer commands; constraints with many cases multiply the work"};
  return within_isl_limit(asked, diagnostics, [&] { return RecurrenceToDataflow(checked, mapping, diagnostics).run(); })
      .value_or(std::nullopt);
}

} // namespace cyclotron::lower
