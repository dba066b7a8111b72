// SPDX-License-Identifier: MIT
// Inputs in registers. An element can stay in one if it does not change in the innermost loop. That loop is a step that
// is not written out; or the strips, where they are inside of all steps, or one after the other around no steps. Where
// a worker has no loop at all, the element must be the same for all workers.
#include "lanes/placed.hpp"

#include "lanes/slots.hpp"
#include "lanes/time_and_place.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace cyclotron::lanes {

using namespace recurrence;

namespace {

struct Loop {
  std::vector<std::string> parameters;  // of formulas of time and place: what changes in it
  std::optional<std::size_t> component; // of time; nothing for strips, and for all that workers do
};

// Around the points of a space.
Loop innermost_loop(const Program& program, const dataflow::Space& space) {
  const std::vector<std::string> names = time_names(program);
  std::optional<Loop> steps;
  Loop workers;
  for (std::size_t c = 0; c < program.time.size(); ++c) {
    if (program.time[c].worker) workers.parameters.push_back(names[c]);
    else if (!space.time[c].is_constant() && !program.time[c].unrolled) steps = Loop{{names[c]}, c};
  }
  if (steps && program.strips != Strips::inside) return *steps;
  if (program.strips == Strips::one) return workers;
  if (program.strips != Strips::parallel) return {{place_name}, std::nullopt};
  workers.parameters.emplace_back(place_name);
  return workers;
}

class RegisterCounter {
public:
  explicit RegisterCounter(const Program& program) : program_(program) {
    for (std::size_t s = 0; s < program.flow.spaces.size(); ++s) {
      auto found = coordinates_at(program, static_cast<int>(s));
      if (!found) bug("two points of a space have one time and place");
      coordinates_.push_back(std::move(*found));
    }
  }

  std::optional<PlacedProblem> problem(const std::string& tensor) const {
    for (const InputRead& read : reads_of_input(program_, tensor)) {
      const Loop loop = innermost_loop(program_, space_of(read.rule));
      for (const Coordinate& index : indices_of(read))
        for (const std::string& parameter : loop.parameters)
          if (index.numerator.coefficient(parameter) != 0) return changes(tensor, read, loop);
    }
    return std::nullopt;
  }

  bool changes_in_worker(const InputRead& read) const {
    const std::vector<std::string> names = time_names(program_);
    std::vector<std::string> loops;
    for (std::size_t c = 0; c < program_.time.size(); ++c)
      if (!program_.time[c].worker && !program_.time[c].unrolled) loops.push_back(names[c]);
    if (program_.strips != Strips::one && program_.strips != Strips::parallel) loops.emplace_back(place_name);
    for (const Coordinate& index : indices_of(read))
      for (const std::string& loop : loops)
        if (index.numerator.coefficient(loop) != 0) return true;
    return false;
  }

  std::int64_t count(const std::string& tensor) const {
    std::int64_t vectors = 0;
    std::set<std::string> known;
    for (const InputRead& read : reads_of_input(program_, tensor)) {
      const std::vector<Coordinate> indices = indices_of(read);
      for (const auto& iteration : iterations_written_out(read.rule)) {
        std::string text;
        bool same_in_lanes = true;
        for (const Coordinate& index : indices) {
          const Affine numerator = substitute(index.numerator, iteration);
          text += fmt::format("{} / {}, ", print(numerator), index.divisor);
          same_in_lanes &= numerator.coefficient(place_name) == 0;
        }
        if (known.insert(text).second) vectors += same_in_lanes ? 1 : program_.shape.per_lane;
      }
    }
    return vectors;
  }

private:
  const dataflow::Space& space_of(std::size_t rule) const {
    return program_.flow.spaces[static_cast<std::size_t>(program_.flow.rules[rule].space)];
  }

  std::vector<Coordinate> indices_of(const InputRead& read) const {
    const auto s = static_cast<std::size_t>(program_.flow.rules[read.rule].space);
    std::vector<Coordinate> indices;
    for (const Affine& index : read.indices)
      indices.push_back(formula_at(index, space_of(read.rule).coordinates, coordinates_[s]));
    return indices;
  }

  // What the components of time that are written out are, in each iteration in which the rule computes.
  std::vector<std::map<std::string, Affine>> iterations_written_out(std::size_t rule) const {
    const dataflow::Rule& r = program_.flow.rules[rule];
    const dataflow::Space& space = space_of(rule);
    const std::vector<std::string> all = time_names(program_);
    std::vector<std::string> names;
    Point time;
    for (std::size_t c = 0; c < program_.time.size(); ++c)
      if (program_.time[c].unrolled) {
        names.push_back(all[c]);
        time.push_back(space.time[c]);
      }
    if (names.empty()) return {{}};
    const isl::map to = map_to(*program_.flow.context, *program_.flow.source, space.coordinates, time);
    isl_set* values = to.intersect_domain(r.domain).range().release();
    values = isl_set_project_out(values, isl_dim_param, 0, static_cast<unsigned>(isl_set_dim(values, isl_dim_param)));
    Found found{names, {}};
    isl_set_foreach_point(values, note, &found);
    isl_set_free(values);
    return std::move(found.iterations);
  }

  struct Found {
    const std::vector<std::string>& names;
    std::vector<std::map<std::string, Affine>> iterations;
  };

  static isl_stat note(isl_point* point, void* user) {
    Found& found = *static_cast<Found*>(user);
    std::map<std::string, Affine> iteration;
    for (std::size_t c = 0; c < found.names.size(); ++c)
      iteration[found.names[c]] =
          Affine{{}, whole(isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(c)))};
    found.iterations.push_back(std::move(iteration));
    isl_point_free(point);
    return isl_stat_ok;
  }

  PlacedProblem changes(const std::string& tensor, const InputRead& read, const Loop& innermost) const {
    std::vector<std::string> indices;
    for (const Affine& index : read.indices)
      indices.push_back(print_index(expression_of(index, *program_.flow.source)));
    const std::string element = fmt::format("{}({})", tensor, fmt::join(indices, ", "));
    const Span span = program_.flow.rules[read.rule].span;
    if (!innermost.component)
      return {fmt::format("`{}` is read once in a strip or by a worker, and no loop there reads it again", element),
              "leave `place` out: a register would gain nothing", span};
    const Component& loop = program_.time[*innermost.component];
    return {fmt::format("`{}` is another element in every iteration of `{}`, and cannot stay in a register", element,
                        loop.name),
            extent_of(program_, *innermost.component)
                ? fmt::format("write that loop out, with `time` and `unroll {}`: each iteration then has registers of "
                              "its own",
                              loop.name)
                : "a loop of a fixed number of iterations can be written out by `unroll`; or give `time` an innermost "
                  "index that the element does not depend on",
            span};
  }

  const Program& program_;
  std::vector<std::vector<Coordinate>> coordinates_; // by space
};

} // namespace

std::optional<PlacedProblem> problem_of_registers(const Program& program, const std::string& tensor) {
  return RegisterCounter(program).problem(tensor);
}

bool changes_in_worker(const Program& program, const InputRead& read) {
  return RegisterCounter(program).changes_in_worker(read);
}

std::int64_t registers_of_placed(const Program& program) {
  std::int64_t vectors = 0;
  for (const Placed& p : program.placed)
    if (p.memory == Memory::registers) vectors += RegisterCounter(program).count(p.tensor);
  return vectors;
}

} // namespace cyclotron::lanes
