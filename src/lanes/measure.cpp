// SPDX-License-Identifier: MIT
#include "lanes/measure.hpp"

#include "lanes/copies.hpp"
#include "lanes/reads.hpp"

#include <algorithm>
#include <set>

namespace cyclotron::lanes {

using namespace recurrence;

namespace {

constexpr std::int64_t most_points = 1'000'000; // counted one by one

class Measurer {
public:
  Measurer(const Program& program, const Sizes& sizes) : program_(program), flow_(program.flow), sizes_(sizes) {}

  std::optional<Measure> run() {
    Program one = program_;
    one.shape.per_lane = 1;
    const Reads reads = reads_of(one);
    result_.registers = reads.registers;
    const std::size_t inner = innermost_loop();
    if (!count_points(inner) || !count_outputs()) return std::nullopt;
    for (const auto& [outside, first_and_last] : steps_)
      result_.steps += first_and_last.second - first_and_last.first + 1;
    result_.elements = last_place_ - first_place_ + 1;
    return result_;
  }

private:
  // A step is an iteration of the innermost loop, written out or not.
  std::size_t innermost_loop() const {
    std::size_t inner = program_.time.size();
    for (std::size_t c = 0; c < program_.time.size(); ++c)
      if (!program_.time[c].constant && !program_.time[c].worker) inner = c;
    return inner;
  }

  bool each(const isl::set& set, const std::function<void(const Whole&)>& f) const {
    return each_point(set, sizes_, most_points, f);
  }

  std::int64_t value(const Affine& formula, const dataflow::Space& space, const Whole& point) const {
    return value_at(formula, space, point, sizes_);
  }

  // Where several things are computed by an element in one step, it is busy once.
  bool count_points(std::size_t inner) {
    std::set<std::pair<std::int64_t, Whole>> busy;
    for (const dataflow::Rule& rule : flow_.rules) {
      const dataflow::Space& space = flow_.spaces[static_cast<std::size_t>(rule.space)];
      const bool computes = !program_.copies[number_of_value(flow_, rule.space, rule.value)];
      const bool counted = each(rule.domain, [&](const Whole& point) {
        const std::int64_t place = space.place.empty() ? 0 : value(space.place[0], space, point);
        add_place(place);
        Whole time;
        for (std::size_t c = 0; c < inner; ++c) time.push_back(value(space.time[c], space, point));
        const std::int64_t step = inner < space.time.size() ? value(space.time[inner], space, point) : 0;
        const auto [at, is_new] = steps_.try_emplace(time, step, step);
        at->second = {std::min(at->second.first, step), std::max(at->second.second, step)};
        time.push_back(step);
        if (computes) busy.emplace(place, std::move(time));
      });
      if (!counted) return false;
    }
    result_.operations = static_cast<std::int64_t>(busy.size());
    return true;
  }

  void add_place(std::int64_t place) {
    const bool first = first_place_ > last_place_;
    first_place_ = first ? place : std::min(first_place_, place);
    last_place_ = first ? place : std::max(last_place_, place);
  }

  bool count_outputs() {
    std::set<std::pair<std::string, Whole>> outputs;
    for (const dataflow::Export& e : flow_.exports) {
      const dataflow::Space& space = flow_.spaces[static_cast<std::size_t>(e.space)];
      const bool counted = each(e.domain, [&](const Whole& point) {
        Whole indices;
        for (const Affine& index : e.indices) indices.push_back(value(index, space, point));
        outputs.emplace(e.tensor, std::move(indices));
      });
      if (!counted) return false;
    }
    result_.outputs = static_cast<std::int64_t>(outputs.size());
    return true;
  }

  const Program& program_;
  const dataflow::Program& flow_;
  const Sizes& sizes_;
  std::map<Whole, std::pair<std::int64_t, std::int64_t>> steps_; // first and last, by the components around them
  std::int64_t first_place_ = 0, last_place_ = -1;
  Measure result_;
};

double ratio(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

} // namespace

double Measure::outturn() const { return ratio(outputs, steps); }
double Measure::utilisation() const { return ratio(operations, elements * steps); }

std::optional<Measure> measure(const Program& program, const Sizes& sizes) { return Measurer(program, sizes).run(); }

} // namespace cyclotron::lanes
