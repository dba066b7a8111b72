// SPDX-License-Identifier: MIT
#include "lower/dataflow/on_map.hpp"

#include "lower/contains.hpp"
#include "lower/dataflow/dataflow_builder.hpp"
#include "lower/dataflow/find_steps.hpp"
#include "lower/dataflow/find_timing.hpp"
#include "lower/dataflow/time_order.hpp"
#include "lower/dataflow/unfold_steps.hpp"

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::PointFlow;

namespace {

class OnMap {
public:
  OnMap(const frontend::Checked& checked, const Mapping& mapping, Diagnostics& diagnostics)
      : checked_(checked), mapping_(mapping), diagnostics_(diagnostics) {}

  std::optional<LoweredDataflow> run() {
    if (!has_right_shape()) return std::nullopt;
    name_axes_and_steps();
    const auto equations = array_equations(checked_, mapping_, diagnostics_);
    if (!equations || !unfold_steps(mapping_, *equations, diagnostics_)) return std::nullopt;
    check_names(*equations);
    if (diagnostics_.failed()) return std::nullopt;
    add_outer_steps(*equations);
    const std::map<std::string, int> signs = directions_of_sums();
    DataflowBuilder builder(*equations, mapping_, signs, diagnostics_);
    auto program = builder.run();
    if (!program) return std::nullopt;
    return in_time(std::move(*program), builder.extra_time());
  }

private:
  bool has_right_shape() {
    const schedule::Matrix& m = map_.matrix;
    if (static_cast<std::size_t>(m.rows) == map_.axes.size() &&
        static_cast<std::size_t>(m.columns) == map_.indices.size())
      return true;
    diagnostics_.error(map_.span, fmt::format("the matrix has {} rows and {} columns", m.rows, m.columns))
        .with_hint(fmt::format("it needs a row for each of {} and a column for each of {}", fmt::join(map_.axes, ", "),
                               fmt::join(map_.indices, ", ")));
    return false;
  }

  void name_axes_and_steps() {
    if (mapping_.space_given)
      diagnostics_.error(mapping_.space_span, "`space` beside `spacetime`: the rows of the matrix are the axes")
          .note(map_.span, "the matrix")
          .with_hint("leave `space` out");
    if (mapping_.time.empty()) mapping_.time = {map_.axes.back()};
    mapping_.space.clear();
    for (const std::string& a : map_.axes)
      if (!contains(mapping_.time, a)) mapping_.space.push_back(a);
  }

  void check_names(const ArrayEquations& equations) {
    const std::vector<std::string> known = variables_of(equations);
    const auto check = [&](const std::vector<std::string>& names, Span span) {
      for (const std::string& n : names) {
        if (contains(known, n) || contains(map_.axes, n)) continue;
        const bool was_split = std::any_of(mapping_.splits.begin(), mapping_.splits.end(),
                                           [&](const SplitIndex& s) { return s.index == n; });
        diagnostics_
            .error(span, was_split ? fmt::format("`{}` is split: its parts are indices now", n)
                                   : fmt::format("`{}` is no index of an equation that computes", n))
            .with_hint(fmt::format("the indices are {}", fmt::join(known, ", ")));
      }
    };
    check(map_.indices, map_.span);
    check(mapping_.time, mapping_.time_span);
    for (const std::string& n : mapping_.time)
      if (contains(map_.indices, n))
        diagnostics_.error(mapping_.time_span, fmt::format("`{}` is a column of the matrix, and a step of its own", n))
            .with_hint("`time` names rows of the matrix, and indices that are not in it");
    for (const Way& w : mapping_.ways)
      if (!contains(known, w.along) && !contains(mapping_.space, w.along) && w.along != mapping_.time.back())
        diagnostics_
            .error(w.span, contains(map_.axes, w.along)
                               ? fmt::format("`{}` counts steps that have others inside of them", w.along)
                               : fmt::format("`{}` is no index of an equation that computes", w.along))
            .with_hint(fmt::format("the indices are {}, the axes {}", fmt::join(known, ", "),
                                   fmt::join(mapping_.space, ", ")));
  }

  // Indices that nobody names. Equations that only name an element of another tensor compute nothing.
  void add_outer_steps(const ArrayEquations& equations) {
    std::vector<std::string> outer;
    const auto add = [&](const std::vector<std::string>& names) {
      for (const std::string& n : names)
        if (!contains(map_.indices, n) && !contains(mapping_.time, n) && !contains(outer, n)) outer.push_back(n);
    };
    for (const ArrayEquation& e : equations.equations) {
      const Access* a = as<Access>(e.source->value);
      if (!e.constant && !(a && equations.is_computed(a->tensor))) add(e.variables);
      for (const ArrayEquation::Sum& sum : e.sums) add(sum.own);
    }
    mapping_.time.insert(mapping_.time.begin(), outer.begin(), outer.end());
  }

  // The last level of time in the names of the program.
  Affine formula_of_step() const {
    const std::string& step = mapping_.time.back();
    const auto row = static_cast<std::size_t>(std::find(map_.axes.begin(), map_.axes.end(), step) - map_.axes.begin());
    Affine formula;
    if (row == map_.axes.size()) return plain(step);
    for (std::size_t c = 0; c < map_.indices.size(); ++c)
      if (map_.factor(row, c) != 0) formula.terms[map_.indices[c]] = map_.factor(row, c);
    return formula;
  }

  // A sum runs the way that time does.
  std::map<std::string, int> directions_of_sums() const {
    std::map<std::string, int> signs;
    for (std::size_t row = 0; row < map_.axes.size(); ++row)
      for (std::size_t c = 0; c < map_.indices.size(); ++c)
        if (contains(mapping_.time, map_.axes[row]) && map_.factor(row, c) < 0) signs[map_.indices[c]] = -1;
    return signs;
  }

  // Times are compared in lexicographic order, outer steps first; where these are equal, the last one must leave every
  // value the steps that it needs. That holds for processors together, as by a clock that all of them see.
  std::optional<LoweredDataflow> in_time(dataflow::Program program, const std::map<int, Point>& extra) {
    const std::string& step = mapping_.time.back();
    const std::vector<std::string> outer(mapping_.time.begin(), mapping_.time.end() - 1);
    std::set<int> without_steps;
    for (int s = 0; s < static_cast<int>(program.spaces.size()); ++s)
      if (!space(program, s).as.count(step)) without_steps.insert(s);
    const dataflow::Timing timing = timing_of(program, formula_of_step(), without_steps);
    fresh_quota(program);
    const std::vector<PointFlow> flows = flows_of(program);
    const std::vector<PointFlow> close =
        flows_between_steps(program, flows_within(program, flows, outer, timing), timing);
    if (const auto late = late_operand(program, close, timing)) {
      report(program, *late, timing);
      return std::nullopt;
    }
    fresh_quota(program);
    const TimeOrder order = order_in_time(program, flows, mapping_.time, {}, outer.size());
    if (!order.problem.empty()) {
      diagnostics_.error(map_.span, "this map violates a dependence").note(order.problem);
      return std::nullopt;
    }
    for (std::size_t s = 0; s < program.spaces.size(); ++s) program.spaces[s].time = order.times[s];
    program.passes = static_cast<int>(2 * outer.size());
    fresh_quota(program);
    const bool shared = mapping_.steps_are_loops;
    const auto crowd = crowded_place(program, timing, shared ? dataflow::SharedSteps::yes : dataflow::SharedSteps::no);
    program.passes = 0;
    if (crowd) {
      report(program, *crowd);
      return std::nullopt;
    }
    set_times(program, order, extra);
    for (const int s : without_steps)
      if (!has_points_in_order(program, s)) return std::nullopt;
    if (outer.empty() && !shared && come_first(flows, without_steps)) program.timing = timing;
    return LoweredDataflow{std::move(program), mapping_, false};
  }

  // isl's work is bounded per question, not per program.
  static void fresh_quota(const dataflow::Program& program) { isl_ctx_reset_operations(program.context->get().get()); }

  static const dataflow::Space& space(const dataflow::Program& program, int s) {
    return program.spaces[static_cast<std::size_t>(s)];
  }

  // What a step of the map has to leave time for: flows between points of the same outer steps.
  static std::vector<PointFlow> flows_within(const dataflow::Program& program, const std::vector<PointFlow>& flows,
                                             const std::vector<std::string>& outer, const dataflow::Timing& timing) {
    std::vector<PointFlow> result;
    for (PointFlow f : flows) {
      if (!timing.steps[static_cast<std::size_t>(f.reader)] || !timing.steps[static_cast<std::size_t>(f.producer)])
        continue;
      const auto &reader = space(program, f.reader).as, &producer = space(program, f.producer).as;
      bool apart = false; // a space without an outer step comes before or after all of it
      for (const std::string& t : outer) {
        apart |= reader.count(t) != producer.count(t);
        if (reader.count(t) && producer.count(t))
          f.points =
              f.points.intersect(related(program, f.reader, reader.at(t), Relation::equal, f.producer, producer.at(t)));
      }
      if (!apart && !f.points.is_empty()) result.push_back(std::move(f));
    }
    return result;
  }

  // Without what an element of lanes computes and uses in one step.
  std::vector<PointFlow> flows_between_steps(const dataflow::Program& program, std::vector<PointFlow> flows,
                                             const dataflow::Timing& timing) const {
    if (!mapping_.steps_are_loops) return flows;
    for (PointFlow& f : flows) {
      if (f.reader == f.producer) continue;
      const isl::map same_step =
          related(program, f.reader, *timing.steps[static_cast<std::size_t>(f.reader)], Relation::equal, f.producer,
                  *timing.steps[static_cast<std::size_t>(f.producer)]);
      f.points = f.points.subtract(local_part(program, f).intersect(same_step));
    }
    return flows;
  }

  // Whether spaces without a step read nothing of those that have one.
  static bool come_first(const std::vector<PointFlow>& flows, const std::set<int>& without_steps) {
    return std::none_of(flows.begin(), flows.end(), [&](const PointFlow& f) {
      return without_steps.count(f.reader) && !without_steps.count(f.producer);
    });
  }

  // A space whose equation lacks indices of the last row: whether the other steps tell its points apart.
  bool has_points_in_order(const dataflow::Program& program, int s) {
    const dataflow::Space& of = space(program, s);
    Point when = of.place;
    when.insert(when.end(), of.time.begin(), of.time.end());
    const isl::map to = map_to(*program.context, *program.source, of.coordinates, when).intersect_domain(of.domain);
    const isl::map meet = to.apply_range(to.reverse());
    const isl::map apart =
        meet.subtract(map_to(*program.context, *program.source, of.coordinates, dataflow::own_point(of)));
    if (apart.is_empty()) return true;
    Diagnostic& message = diagnostics_.unsupported(
        map_.span,
        fmt::format("this map does not say in which order a processor computes the points of space {}", of.name));
    if (const Pair pair(program, apart, s, s); pair.witness)
      message.note(fmt::format("{}the points {} and {} have no step", pair.sizes(),
                               Pair::point(of, [&](const Affine& f) { return pair.of_first(f); }),
                               Pair::point(of, [&](const Affine& f) { return pair.of_second(f, *program.source); })));
    message.with_hint(
        fmt::format("the row `{}` of the matrix is made of indices that its equation lacks: give it these, "
                    "or name its own indices in `time`",
                    mapping_.time.back()));
    return false;
  }

  // A pair of points that are related, with what their names are in the program.
  struct Pair {
    std::optional<Witness> witness;
    const dataflow::Space *first, *second;

    Pair(const dataflow::Program& program, const isl::map& points, int first_space, int second_space)
        : first(&space(program, first_space)), second(&space(program, second_space)) {
      std::vector<std::string> both = first->coordinates;
      for (const std::string& n : second->coordinates) both.push_back(n + "'");
      witness = find_witness(isl::manage(isl_set_flatten(isl_map_wrap(points.copy()))), *program.source, both);
    }

    std::int64_t of_first(const Affine& formula) const {
      return formula.evaluate([&](const std::string& n) { return witness->value_of(n); });
    }
    std::int64_t of_second(const Affine& formula, const Program& source) const {
      return formula.evaluate([&](const std::string& n) { return witness->value_of(source.is_size(n) ? n : n + "'"); });
    }
    static std::string point(const dataflow::Space& of, const std::function<std::int64_t(const Affine&)>& value) {
      std::vector<std::int64_t> numbers;
      for (const std::string& n : of.coordinates) numbers.push_back(value(plain(n)));
      return fmt::format("({})", fmt::join(numbers, ", "));
    }
    std::string sizes() const {
      std::vector<std::string> list;
      for (const auto& [name, value] : witness->sizes) list.push_back(fmt::format("{} = {}", name, value));
      return list.empty() ? "" : fmt::format("with {}, ", fmt::join(list, ", "));
    }
  };

  void report(const dataflow::Program& program, const dataflow::LateOperand& late, const dataflow::Timing& timing) {
    const PointFlow& flow = *late.flow;
    const std::string &reader = space(program, flow.reader).name, &producer = space(program, flow.producer).name;
    Diagnostic& message = diagnostics_.error(
        map_.span, fmt::format("this map computes a value too late: `{}` of space {}, which space {} reads", flow.value,
                               producer, reader));
    const Pair pair(program, flow.points.intersect_domain(late.readers), flow.reader, flow.producer);
    const std::string& step = mapping_.time.back();
    if (pair.witness) {
      const auto here = [&](const Affine& f) { return pair.of_first(f); };
      const auto there = [&](const Affine& f) { return pair.of_second(f, *program.source); };
      const std::int64_t steps = here(*timing.steps[static_cast<std::size_t>(flow.reader)]) -
                                 there(*timing.steps[static_cast<std::size_t>(flow.producer)]);
      message.note(flow.span,
                   fmt::format("{}the point {} needs it from the point {}: `{}` counts {} between them, and "
                               "it takes at least {}",
                               pair.sizes(), Pair::point(*pair.first, here), Pair::point(*pair.second, there), step,
                               steps, dataflow::steps_needed(program, flow)));
    }
    message.with_hint("every dependence must take at least one step, and one for each link: " +
                      (contains(map_.axes, step)
                           ? fmt::format("change the row `{}` of the matrix", step)
                           : fmt::format("give the matrix a last row for the steps inside of `{}`", step)));
  }

  void report(const dataflow::Program& program, const dataflow::CrowdedPlace& crowd) {
    const bool same = crowd.space == crowd.other;
    const std::string what = same ? fmt::format("two points of space {}", space(program, crowd.space).name)
                                  : fmt::format("points of the spaces {} and {}", space(program, crowd.other).name,
                                                space(program, crowd.space).name);
    Diagnostic& message =
        diagnostics_.error(map_.span, fmt::format("this map has a processor compute {} in the same step", what));
    const Pair pair(program, crowd.pairs, crowd.space, crowd.other);
    if (pair.witness) {
      const auto here = [&](const Affine& f) { return pair.of_first(f); };
      const auto there = [&](const Affine& f) { return pair.of_second(f, *program.source); };
      message.note(fmt::format("{}the points {} and {}", pair.sizes(), Pair::point(*pair.second, there),
                               Pair::point(*pair.first, here)));
    }
    message.with_hint(same ? "the rows of the matrix must be independent, and the steps far enough apart"
                           : "a sum inside of another expression has points of its own: write all sums as one, as in "
                             "`sum[q,p](…)`, or leave a step between them");
  }

  const frontend::Checked& checked_;
  Mapping mapping_;
  const SpaceTime& map_ = *mapping_.spacetime;
  Diagnostics& diagnostics_;
};

} // namespace

std::optional<LoweredDataflow> on_map(const frontend::Checked& checked, const Mapping& mapping,
                                      Diagnostics& diagnostics) {
  return OnMap(checked, mapping, diagnostics).run();
}

} // namespace cyclotron::lower
