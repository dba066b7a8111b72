// SPDX-License-Identifier: MIT
#include "unit/lanes/slow_lanes.hpp"

#include "lanes/copies.hpp"
#include "lanes/reads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace cyclotron::lanes {

using namespace recurrence;
using dataflow::Reference;

namespace {

using Number64 = std::uint64_t;

Number64 mixed(Number64 a, Number64 b) {
  Number64 h = a * 0x9e3779b97f4a7c15U + b + 0x7f4a7c15U;
  h ^= h >> 29U;
  return h * 0xbf58476d1ce4e5b9U;
}

struct Event {
  std::size_t rule = 0;
  Whole point, time;
  std::int64_t place = 0; // from the first one
};

class SlowLanes {
public:
  SlowLanes(const Program& program, const Sizes& sizes)
      : program_(program), flow_(program.flow), sizes_(sizes), reads_(reads_of(program)) {}

  SlowRun run() {
    std::map<Whole, std::map<std::int64_t, std::vector<Event>>> work; // by the iteration of workers, then by strip
    for (std::size_t r = 0; r < flow_.rules.size(); ++r)
      for (const Whole& point : points_of(flow_.rules[r])) {
        Event event{r, point, {}, 0};
        const dataflow::Space& space = flow_.spaces[static_cast<std::size_t>(flow_.rules[r].space)];
        for (const Affine& t : space.time) event.time.push_back(value(t, space, point));
        const Affine place = space.place.empty() ? Affine{} : space.place[0];
        event.place = value(place - program_.from, space, point);
        Whole worker;
        for (std::size_t c = 0; c < program_.time.size(); ++c)
          if (program_.time[c].worker) worker.push_back(event.time[c]);
        work[worker][strip_of(event.place)].push_back(std::move(event));
      }
    for (auto worker = work.rbegin(); worker != work.rend(); ++worker) run_worker(worker->second);
    return run_;
  }

private:
  // --- the program at these sizes ---

  std::int64_t value(const Affine& formula, const dataflow::Space& space, const Whole& point) const {
    return value_at(formula, space, point, sizes_);
  }

  std::vector<Whole> points_of(const dataflow::Rule& rule) const {
    std::vector<Whole> points;
    each_point(rule.domain, sizes_, 1'000'000, [&](const Whole& point) { points.push_back(point); });
    return points;
  }

  std::int64_t strip_of(std::int64_t place) const {
    if (program_.strips == Strips::one || program_.strips == Strips::inside) return 0;
    return floor_div(place, program_.shape.elements());
  }

  // --- what a value is ---

  using Operand = std::function<Number64(const Reference&)>;

  Number64 element_of(const std::string& tensor, const Whole& indices) const {
    Number64 result = 17;
    for (const char c : tensor) result = mixed(result, static_cast<unsigned char>(c));
    for (const std::int64_t i : indices) result = mixed(result, static_cast<Number64>(i));
    return result;
  }

  Number64 meaning(const Expr& expr, const dataflow::Space& space, const Whole& point, const Operand& operand) const {
    if (const Access* a = as<Access>(expr)) {
      if (const auto ref = dataflow::reference_of(*a, flow_)) return operand(*ref);
      Whole indices;
      for (const Expr& e : a->indices) indices.push_back(value(accepted_affine(e, *flow_.source), space, point));
      return element_of(a->tensor, indices);
    }
    if (const Name* n = as<Name>(expr); n && n->kind == NameKind::index)
      return static_cast<Number64>(value(Affine{{{n->id, 1}}, 0}, space, point));
    Number64 result = expr->kind.index() + 100;
    ir::map_children<ExprNode>(expr, [&](const Expr& e) {
      result = mixed(result, meaning(e, space, point, operand));
      return e;
    });
    return result;
  }

  // By the equations alone.
  Number64 right_value(int space_number, const std::string& name, const Whole& point) {
    const auto key = std::make_tuple(space_number, name, point);
    if (const auto at = right_.find(key); at != right_.end()) return at->second;
    const dataflow::Space& space = flow_.spaces[static_cast<std::size_t>(space_number)];
    for (const dataflow::Rule& rule : flow_.rules) {
      if (rule.space != space_number || rule.value != name || !holds(rule, point)) continue;
      const Number64 result = meaning(rule.expr, space, point, [&](const Reference& ref) {
        return right_value(ref.space, ref.value, at(ref, space, point));
      });
      return right_[key] = result;
    }
    complain(fmt::format("nothing gives `{}` at ({})", name, fmt::join(point, ", ")));
    return 0;
  }

  bool holds(const dataflow::Rule& rule, const Whole& point) {
    auto& points = domains_[&rule];
    if (!points) {
      points = points_of(rule);
      std::sort(points->begin(), points->end());
    }
    return std::binary_search(points->begin(), points->end(), point);
  }

  Whole at(const Reference& ref, const dataflow::Space& space, const Whole& point) const {
    Whole result;
    for (const Affine& a : ref.point) result.push_back(value(a, space, point));
    return result;
  }

  void complain(std::string what) {
    if (run_.problem.empty()) run_.problem = std::move(what);
  }

  // --- the machine ---

  using Vector = std::map<std::int64_t, Number64>; // by the element of the strip
  struct Kept {
    std::vector<Vector> registers;
    std::map<Whole, Vector> left, leaving; // by time: what the strip before has left, and what this one leaves
  };

  void run_worker(const std::map<std::int64_t, std::vector<Event>>& strips) {
    kept_.assign(flow_.values.size(), {});
    table_.clear();
    std::vector<std::int64_t> order;
    for (const auto& [strip, events] : strips) order.push_back(strip);
    if (program_.strips == Strips::falling || program_.strips == Strips::parallel)
      std::reverse(order.begin(), order.end());
    for (const std::int64_t strip : order) {
      for (std::size_t v = 0; v < kept_.size(); ++v) {
        kept_[v].registers.assign(static_cast<std::size_t>(reads_.keeps[v].registers()), {});
        kept_[v].left = std::move(kept_[v].leaving);
        kept_[v].leaving.clear();
      }
      run_strip(strips.at(strip));
    }
  }

  void run_strip(const std::vector<Event>& events) {
    const std::size_t inner = reads_.innermost.value_or(0);
    std::map<Whole, std::map<std::int64_t, std::map<Whole, std::vector<const Event*>>>> loops;
    for (const Event& e : events) {
      const auto at = e.time.begin() + static_cast<std::ptrdiff_t>(reads_.innermost ? inner : 0);
      const std::int64_t step = reads_.innermost ? *at : 0;
      loops[Whole(e.time.begin(), at)][step][Whole(at + (reads_.innermost ? 1 : 0), e.time.end())].push_back(&e);
    }
    for (const auto& [outside, steps] : loops) {
      for (std::size_t v = 0; v < kept_.size(); ++v) // nothing is found in registers from before
        if (!reads_.keeps[v].held) std::fill(kept_[v].registers.begin(), kept_[v].registers.end(), Vector{});
      for (std::int64_t step = steps.begin()->first; step <= steps.rbegin()->first; ++step) {
        rotate();
        if (const auto phases = steps.find(step); phases != steps.end())
          for (const auto& [phase, now] : phases->second) run_time(now);
      }
    }
  }

  void rotate() {
    for (std::size_t v = 0; v < kept_.size(); ++v) {
      auto& registers = kept_[v].registers;
      if (registers.size() == 1) {
        // A register that is neither coalesced nor held is free at the end of a step.
        if (!reads_.keeps[v].coalesced && !reads_.keeps[v].held) registers[0].clear();
        continue;
      }
      for (std::size_t r = registers.size(); r-- > 1;) registers[r] = std::move(registers[r - 1]);
      registers[0].clear();
    }
  }

  void run_time(const std::vector<const Event*>& now) {
    for (const std::size_t rule : reads_.rule_order) {
      std::vector<std::pair<const Event*, Number64>> results; // all read before any writes
      const dataflow::Space& space = flow_.spaces[static_cast<std::size_t>(flow_.rules[rule].space)];
      for (const Event* e : now) {
        if (e->rule != rule) continue;
        const Operand operand = [&](const Reference& ref) { return fetched(reads_.of(rule, ref), *e); };
        results.emplace_back(e, meaning(flow_.rules[rule].expr, space, e->point, operand));
      }
      for (const auto& [event, result] : results) write(*event, result);
    }
  }

  void write(const Event& e, Number64 result) {
    const dataflow::Rule& rule = flow_.rules[e.rule];
    ++run_.computed;
    if (result != right_value(rule.space, rule.value, e.point))
      complain(fmt::format("`{}` at ({}) has another value", rule.value, fmt::join(e.point, ", ")));
    const std::size_t v = number_of_value(flow_, rule.space, rule.value);
    const std::int64_t element = e.place - strip_of(e.place) * program_.shape.elements();
    kept_[v].registers[0][element] = result;
    if (reads_.keeps[v].table) table_[{v, e.point}] = result;
    const std::int64_t end = program_.shape.elements(), reach = reads_.keeps[v].reach;
    if (program_.strips == Strips::falling ? element < reach : element >= end - reach)
      kept_[v].leaving[e.time][element] = result;
  }

  Number64 fetched(const Read& read, const Event& e) {
    const Reference& what = read.flow.what;
    const dataflow::Space& space = flow_.spaces[static_cast<std::size_t>(flow_.rules[e.rule].space)];
    const std::size_t v = number_of_value(flow_, what.space, what.value);
    const Whole point = at(what, space, e.point);
    const auto found = [&](const auto& in, const auto& key) -> Number64 {
      if (const auto there = in.find(key); there != in.end()) return there->second;
      complain(fmt::format("`{}` of ({}) is not where ({}) looks for it", what.value, fmt::join(point, ", "),
                           fmt::join(e.point, ", ")));
      return 0;
    };
    if (read.fetch == Fetch::table) return found(table_, std::pair(v, point));
    const std::int64_t elements = program_.shape.elements(), own = e.place - strip_of(e.place) * elements;
    const std::int64_t from = own - read.distance;
    const bool outside = program_.strips != Strips::inside && (from < 0 || from >= elements);
    run_.shifted += read.distance != 0 && !outside;
    run_.from_other_strips += outside;
    if (outside && read.edge == Edge::load) {
      const dataflow::Space& producer = flow_.spaces[static_cast<std::size_t>(what.space)];
      Whole indices;
      for (const Affine& a : program_.copies[v]->element) indices.push_back(value(a, producer, point));
      return element_of(program_.copies[v]->tensor, indices);
    }
    if (outside) {
      Whole then;
      for (std::size_t c = 0; c < e.time.size(); ++c)
        then.push_back(e.time[c] - value(read.flow.later[c], space, e.point));
      return found(found_left(v, then), from < 0 ? from + elements : from - elements);
    }
    const bool one = read.fetch == Fetch::held || read.fetch == Fetch::here || reads_.keeps[v].coalesced;
    return found(kept_[v].registers[one ? 0 : static_cast<std::size_t>(read.back)], from);
  }

  const Vector& found_left(std::size_t v, const Whole& time) { return kept_[v].left[time]; }

  const Program& program_;
  const dataflow::Program& flow_;
  const Sizes& sizes_;
  Reads reads_;
  std::map<const dataflow::Rule*, std::optional<std::vector<Whole>>> domains_;
  std::map<std::tuple<int, std::string, Whole>, Number64> right_;
  std::vector<Kept> kept_;
  std::map<std::pair<std::size_t, Whole>, Number64> table_;
  SlowRun run_;
};

} // namespace

SlowRun run_slowly(const Program& program, const Sizes& sizes) { return SlowLanes(program, sizes).run(); }

} // namespace cyclotron::lanes
