// SPDX-License-Identifier: MIT
#include "dataflow/dependences.hpp"

#include "dataflow/domain_text.hpp"
#include "dataflow/timing.hpp"
#include "recurrence/steady_parts.hpp"

#include <isl/ctx.h>
#include <isl/set.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

const Space& space_of(const Program& program, int space) { return program.spaces[static_cast<std::size_t>(space)]; }

Point difference(const Point& a, const Point& b) {
  Point result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
  return result;
}

Point substituted(const Point& point, const std::map<std::string, Affine>& by) {
  Point result;
  for (const Affine& a : point) result.push_back(substitute(a, by));
  return result;
}

class DependenceFinder {
public:
  explicit DependenceFinder(const Program& program) : program_(program) {}

  Dependences run() {
    for (std::size_t r = 0; r < program_.rules.size(); ++r) {
      std::vector<Reference> seen;
      ir::walk<ExprNode>(program_.rules[r].expr, [&](const Expr& x) {
        isl_ctx_reset_operations(program_.context->get().get());
        const Access* a = as<Access>(x);
        if (!a) return;
        const auto ref = reference_of(*a, program_);
        if (!ref) return add_reuses(r, *a);
        const bool known = std::any_of(seen.begin(), seen.end(), [&](const Reference& s) {
          return s.space == ref->space && s.value == ref->value && s.point == ref->point;
        });
        seen.push_back(*ref);
        if (!known) add_dependences(r, *ref);
      });
    }
    return std::move(result_);
  }

private:
  struct Distances {
    Point e, links, steps;
    std::optional<Affine> cycles;
  };

  Distances distances_of(std::size_t rule, const Reference& producer) const {
    const Space& reader = space_of(program_, program_.rules[rule].space);
    const Space& from = space_of(program_, producer.space);
    std::map<std::string, Affine> by;
    for (std::size_t c = 0; c < from.coordinates.size(); ++c) by[from.coordinates[c]] = producer.point[c];
    Distances d;
    if (producer.space == program_.rules[rule].space) d.e = difference(own_point(reader), producer.point);
    d.links = difference(reader.place, substituted(from.place, by));
    d.steps = difference(reader.time, substituted(from.time, by));
    if (program_.timing) {
      const auto& own = program_.timing->steps[static_cast<std::size_t>(program_.rules[rule].space)];
      const auto& other = program_.timing->steps[static_cast<std::size_t>(producer.space)];
      if (own && other) d.cycles = *own - substitute(*other, by);
    }
    return d;
  }

  std::optional<std::vector<SteadyPart>> parts_of(const isl::set& set, const Space& space,
                                                  const Point& formulas) const {
    return steady_parts(*program_.context, *program_.source, set, space.coordinates, formulas);
  }

  void add_dependences(std::size_t rule, const Reference& producer) {
    const Rule& r = program_.rules[rule];
    const Space& reader = space_of(program_, r.space);
    if (producer.space == r.space && producer.point == own_point(reader)) return;
    const Distances d = distances_of(rule, producer);
    // In one space, points that are equally far apart are so many links and steps apart, too. What is loaded before all
    // else may wait as long as it likes.
    Point all = d.e.empty() ? d.links : d.e;
    if (d.e.empty() && !only_loads(program_, producer.space)) all.insert(all.end(), d.steps.begin(), d.steps.end());
    if (const auto parts = parts_of(r.domain, reader, all)) {
      for (const SteadyPart& p : *parts) add(rule, producer, d, p.domain);
      return;
    }
    add(rule, producer, d, r.domain);
    result_.dependences.back().not_uniform =
        unsteady_points(*program_.context, *program_.source, r.domain, reader.coordinates, all);
  }

  // Each of the vectors, where it is one on these points.
  void add(std::size_t rule, const Reference& producer, const Distances& d, const isl::set& readers) {
    const Space& reader = space_of(program_, program_.rules[rule].space);
    const auto one = [&](const Point& formulas) -> std::optional<Point> {
      const auto parts = parts_of(readers, reader, formulas);
      return parts && parts->size() == 1 ? std::optional(parts->front().value) : std::nullopt;
    };
    Dependence result{rule, producer, readers, {}, one(d.links), one(d.steps), {}, {}};
    if (!d.e.empty()) result.e = one(d.e);
    if (result.e && std::all_of(result.e->begin(), result.e->end(), [](const Affine& a) { return a == Affine{}; }))
      return; // at some points a formula leads to the point itself
    if (const auto cycles = d.cycles ? one({*d.cycles}) : std::nullopt) result.cycles = cycles->front();
    result_.dependences.push_back(std::move(result));
  }

  // Along the points of the rule: where its domain is a plane, within that.
  void add_reuses(std::size_t rule, const Access& access) {
    const Rule& r = program_.rules[rule];
    const Space& space = space_of(program_, r.space);
    Point element;
    for (const Expr& index : access.indices) element.push_back(accepted_affine(index, *program_.source));
    std::vector<Vector> rows = rows_of(element, space.coordinates);
    const isl::set plane = isl::manage(isl_set_from_basic_set(isl_set_affine_hull(r.domain.copy())));
    for (const auto& all :
         alternatives_of(plane, space.coordinates, *program_.source).value_or(std::vector<std::vector<Condition>>{}))
      for (const Condition& c : all)
        if (c.kind == Condition::Kind::zero) rows.push_back(rows_of({c.affine}, space.coordinates).front());
    for (Vector& e : integer_kernel(rows, space.coordinates.size())) {
      isl::set again = r.domain;
      for (std::size_t c = 0; c < e.size(); ++c) again = shifted(again, c, e[c]);
      if (again.is_disjoint(r.domain)) continue;
      const auto moved = [&](const Point& formulas) {
        Vector result;
        for (const Vector& row : rows_of(formulas, space.coordinates)) result.push_back(dot(row, e));
        return result;
      };
      const Vector steps = moved(space.time);
      const auto first = std::find_if(steps.begin(), steps.end(), [](std::int64_t s) { return s != 0; });
      if (first != steps.end() && *first < 0)
        for (std::int64_t& c : e) c = -c;
      result_.reuses.push_back({rule, access.tensor, element, e, moved(space.place), moved(space.time)});
    }
  }

  const Program& program_;
  Dependences result_;
};

class DependencePrinter {
public:
  DependencePrinter(const Dependences& all, const Program& program) : all_(all), program_(program) {}

  std::string run() {
    std::string out = fmt::format("axes {}\n", fmt::join(program_.axes, ", "));
    if (program_.timing) out += fmt::format("timing {}\n", dataflow::print(*program_.timing));
    for (int s = 0; s < static_cast<int>(program_.spaces.size()); ++s) out += block_of(s);
    return out;
  }

private:
  using Line = std::vector<std::string>; // its columns; what stands in the last one may be long

  std::string block_of(int s) const {
    const Space& space = space_of(program_, s);
    std::vector<Line> lines;
    for (const Dependence& d : all_.dependences)
      if (program_.rules[d.rule].space == s) lines.push_back(line_of(d));
    for (const Reuse& r : all_.reuses)
      if (program_.rules[r.rule].space == s) lines.push_back(line_of(r));
    std::string out = fmt::format("\nspace {}({}) at place ({}), time ({})\n", space.name,
                                  fmt::join(space.coordinates, ", "), text(space.place), text(space.time));
    std::vector<std::size_t> widths;
    for (const Line& line : lines)
      for (std::size_t c = 0; c + 1 < line.size(); ++c) {
        widths.resize(std::max(widths.size(), c + 1));
        widths[c] = std::max(widths[c], line[c].size());
      }
    for (const Line& line : lines) {
      std::string row = " ";
      for (std::size_t c = 0; c < line.size(); ++c)
        row += " " + (c + 1 < line.size() ? fmt::format("{:<{}} ", line[c], widths[c]) : line[c]);
      row.erase(row.find_last_not_of(' ') + 1);
      out += row + "\n";
    }
    return out;
  }

  Line line_of(const Dependence& d) const {
    const Rule& rule = program_.rules[d.rule];
    const Space& space = space_of(program_, rule.space);
    const std::string above = d.producer.space == rule.space ? "" : "^" + space_of(program_, d.producer.space).name;
    Line line = {fmt::format("({})_{} <- ({})_{}{}", fmt::join(space.coordinates, ", "), rule.value,
                             text(d.producer.point), d.producer.value, above),
                 "e = " + text(d.e), "P.e = " + text(d.links), "s.e = " + text(d.steps)};
    if (program_.timing) line.push_back(d.cycles ? "t: " + one(*d.cycles) : "");
    line.push_back(where(d.readers, space));
    if (d.not_uniform)
      line.back() += (line.back().empty() ? "not uniform: " : "; not uniform: ") + d.not_uniform->describe();
    return line;
  }

  Line line_of(const Reuse& r) const {
    const Rule& rule = program_.rules[r.rule];
    const auto vector = [](const Vector& v) { return fmt::format("({})", fmt::join(v, ", ")); };
    std::vector<std::string> indices;
    for (const Affine& i : r.element) indices.push_back(one(i));
    Line line = {fmt::format("{}({}) again", r.tensor, fmt::join(indices, ",")), "e = " + vector(r.e),
                 "P.e = " + vector(r.links), "s.e = " + vector(r.steps)};
    if (program_.timing) line.emplace_back();
    line.push_back(where(rule.domain, space_of(program_, rule.space)));
    return line;
  }

  std::string where(const isl::set& points, const Space& space) const {
    const std::string conditions = text_of(points, space.domain, space.coordinates, *program_.source);
    return conditions.empty() ? "" : ": " + conditions;
  }

  std::string one(const Affine& a) const { return print_index(expression_of(a, *program_.source)); }
  std::string text(const Point& point) const {
    std::vector<std::string> parts;
    for (const Affine& a : point) parts.push_back(one(a));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  std::string text(const std::optional<Point>& point) const { return point ? "(" + text(*point) + ")" : "-"; }

  const Dependences& all_;
  const Program& program_;
};

} // namespace

Dependences dependences_of(const Program& program) { return DependenceFinder(program).run(); }

std::string print(const Dependences& dependences, const Program& program) {
  return DependencePrinter(dependences, program).run();
}

} // namespace cyclotron::dataflow
