// SPDX-License-Identifier: MIT
#include "lanes/reads.hpp"

#include "lanes/copies.hpp"
#include "lanes/placed.hpp"
#include "lanes/rule_order.hpp"
#include "lanes/slots.hpp"
#include "lanes/time_and_place.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>

namespace cyclotron::lanes {

using namespace recurrence;
using dataflow::Reference;

namespace {

constexpr std::int64_t most_back = 16; // what waits longer waits in memory

class ReadFinder {
public:
  explicit ReadFinder(const Program& program) : program_(program), flow_(program.flow), slots_(program) {}

  Reads run() {
    for (std::size_t c = 0; c < program_.time.size(); ++c)
      if (!program_.time[c].constant && !program_.time[c].worker && !program_.time[c].unrolled) result_.innermost = c;
    result_.keeps.resize(flow_.values.size());
    std::vector<Flow> flows = flows_of(flow_);
    pairs_ = needs_at_one_time(flow_, flows);
    for (Flow& f : flows) result_.reads.push_back(read_of(std::move(f)));
    for (const Read& r : result_.reads) note(r);
    coalesce();
    hold_in_one_register();
    for (std::size_t v = 0; v < result_.keeps.size(); ++v)
      result_.registers += registers_of(v) * program_.shape.per_lane;
    result_.registers += registers_of_placed(program_);
    return std::move(result_);
  }

private:
  bool is_copy(const Flow& f) const {
    return program_.copies[number_of_value(flow_, f.what.space, f.what.value)].has_value();
  }

  Read read_of(Flow flow) const {
    Read read{std::move(flow), Fetch::table, 0, 0, Edge::none};
    const Flow& f = read.flow;
    if (f.own || (f.same_time() && f.places == 0)) {
      read.fetch = Fetch::here;
      return read;
    }
    if (program_.strips == Strips::inside || !f.places || !has_slot(f)) return read;
    if (std::abs(*f.places) >= program_.shape.elements() || lanes_moved(*f.places) >= program_.shape.lanes) return read;
    read.distance = *f.places;
    const std::optional<std::int64_t> back = times_back(f);
    if (back && *back <= most_back) {
      read.fetch = Fetch::registers;
      read.back = *back;
    } else if ((read.distance == 0 || may_move(f)) && nothing_between(f)) read.fetch = Fetch::held;
    else return read;
    if (read.distance != 0 && program_.strips != Strips::one) read.edge = is_copy(f) ? Edge::load : Edge::memory;
    return read;
  }

  // Whether a value of another element can be held: it must be known where the strip before has left it. Inputs are
  // rather loaded again.
  bool may_move(const Flow& f) const {
    const bool known = std::all_of(f.steps.begin(), f.steps.end(), [](const auto& s) { return s.has_value(); });
    return !is_copy(f) && (known || program_.strips == Strips::one);
  }

  // Whether it always comes from the same slot, seen from where it is read.
  bool has_slot(const Flow& f) const {
    for (std::size_t c = 0; c < program_.time.size(); ++c)
      if (program_.time[c].unrolled && !f.steps[c]) return false;
    return true;
  }

  // So many slots before the one that reads.
  std::int64_t slots_before(const Read& r) const {
    std::vector<std::int64_t> steps;
    for (std::size_t c = 0; c < program_.time.size(); ++c) steps.push_back(r.flow.steps[c].value_or(0));
    return slots_.apart(steps);
  }

  // What is computed now needs one register more, whatever slot it is in; what a later slot of a step wants of the step
  // before waits a little longer than what replaces it.
  std::int64_t registers_of(std::size_t value) const {
    const Keep& keep = result_.keeps[value];
    const auto slots = static_cast<std::int64_t>(keep.slots.size());
    if (slots_.count() == 1) return keep.registers();
    std::int64_t longest = 0;
    for (const Read& r : result_.reads)
      if (r.fetch == Fetch::registers && r.back > 0 && &keep_of(r) == &keep)
        longest = std::max(longest, slots_before(r));
    const std::int64_t now = keep.coalesced || keep.back == 0 ? 0 : std::min(slots, longest);
    return slots * std::max<std::int64_t>(keep.back, keep.held ? 1 : 0) + now +
           (slots < static_cast<std::int64_t>(slots_.count()) ? 1 : 0);
  }

  std::int64_t lanes_moved(std::int64_t places) const {
    const std::int64_t size = std::abs(places), v = program_.shape.per_lane;
    return program_.shape.layout == Layout::striped ? size : (size + v - 1) / v;
  }

  // Steps of the innermost component, where all components before it are equal.
  std::optional<std::int64_t> times_back(const Flow& f) const {
    const std::size_t outside = result_.innermost.value_or(0);
    for (std::size_t c = 0; c < outside; ++c)
      if (f.steps[c] != 0) return std::nullopt;
    return result_.innermost ? f.steps[*result_.innermost] : 0;
  }

  // Whether no rule writes the value anew, where it comes from, between the time of the producer and that of the
  // reader.
  bool nothing_between(const Flow& f) const {
    const dataflow::Rule& rule = flow_.rules[f.rule];
    const auto& names = flow_.spaces[static_cast<std::size_t>(rule.space)].coordinates;
    const isl::map reader_at = time_and_place(program_, rule.space).intersect_domain(f.domain);
    const isl::map source = map_to(*flow_.context, *flow_.source, names, f.what.point).intersect_domain(f.domain);
    const isl::map source_at = source.apply_range(time_and_place(program_, f.what.space));
    isl::set written = time_and_place(program_, f.what.space).range();
    written = written.subtract(written);
    isl::set by_reader = written; // a rule reads before it writes
    for (std::size_t r = 0; r < flow_.rules.size(); ++r) {
      const dataflow::Rule& writer = flow_.rules[r];
      if (writer.space != f.what.space || writer.value != f.what.value) continue;
      const isl::set at = time_and_place(program_, writer.space).intersect_domain(writer.domain).range();
      written = written.unite(at);
      if (r == f.rule) by_reader = at;
    }
    // { reader's point -> written time and place }: after the source's, up to the reader's, at the source's place.
    const isl::map now = at_place_of(source_at, reader_at);
    const isl::map after = source_at.apply_range(later_than(program_, true)).intersect_range(written);
    const isl::map before = now.apply_range(later_than(program_, false)).intersect_range(written);
    return after.intersect(before.subtract(now.intersect_range(by_reader))).is_empty();
  }

  // { point -> time and place }, with the places of one map and the times of the other.
  isl::map at_place_of(const isl::map& places, const isl::map& times) const {
    const auto rank = static_cast<unsigned>(program_.time.size());
    isl_map* place = isl_map_project_out(places.copy(), isl_dim_out, 0, rank);
    isl_map* time = isl_map_project_out(times.copy(), isl_dim_out, rank, 1);
    return isl::manage(isl_map_flat_range_product(time, place));
  }

  const Keep& keep_of(const Read& r) const {
    return result_.keeps[number_of_value(flow_, r.flow.what.space, r.flow.what.value)];
  }
  Keep& keep_of(const Read& r) { return result_.keeps[number_of_value(flow_, r.flow.what.space, r.flow.what.value)]; }

  void note(const Read& r) {
    Keep& keep = keep_of(r);
    if (r.fetch == Fetch::registers) keep.back = std::max(keep.back, r.back);
    keep.held |= r.fetch == Fetch::held;
    if (r.fetch == Fetch::held || (r.fetch == Fetch::registers && r.back > 0)) keep.slots.merge(slots_.read_by(r.flow));
    keep.table |= r.fetch == Fetch::table;
    if (r.edge == Edge::memory) keep.reach = std::max(keep.reach, std::abs(r.distance));
  }

  // One register does for a value where all that reads the old one can come before what replaces it.
  void coalesce() {
    result_.rule_order = *rules_in_order(flow_.rules.size(), pairs_);
    for (Keep& keep : result_.keeps) {
      if (keep.back != 1) continue;
      RulePairs pairs = pairs_;
      const bool all_in_time = std::all_of(result_.reads.begin(), result_.reads.end(), [&](const Read& r) {
        return &keep_of(r) != &keep || reads_before_it_is_replaced(r, pairs);
      });
      auto order = all_in_time ? rules_in_order(flow_.rules.size(), pairs) : std::nullopt;
      if (!order) continue;
      keep.coalesced = true;
      pairs_ = std::move(pairs);
      result_.rule_order = std::move(*order);
    }
  }

  // Adds to `pairs` what that asks for. By its phase, a reader may come in a later or in an earlier part of the step.
  bool reads_before_it_is_replaced(const Read& r, RulePairs& pairs) const {
    if (r.fetch != Fetch::registers || r.back != 1) return true;
    for (std::size_t c = *result_.innermost + 1; c < r.flow.steps.size(); ++c) {
      if (*r.flow.steps[c] > 0) return false;
      if (*r.flow.steps[c] < 0) return true;
    }
    const dataflow::Rule& reader = flow_.rules[r.flow.rule];
    for (const std::size_t writer : writers_of(flow_, r.flow.what)) {
      // Rules of one value have disjoint domains: where one of them computes, the others leave what stands there.
      const bool same_value = reader.space == r.flow.what.space && reader.value == r.flow.what.value;
      if (writer != r.flow.rule && !(same_value && r.distance == 0)) pairs.emplace_back(r.flow.rule, writer);
    }
    return true;
  }

  // What is held must stand still: where the registers of a value rotate, it is kept in memory instead.
  void hold_in_one_register() {
    for (Read& r : result_.reads) {
      Keep& keep = keep_of(r);
      if (r.fetch != Fetch::held || keep.registers() == 1) continue;
      r.fetch = Fetch::table;
      keep.table = true;
      keep.held = false;
    }
  }

  const Program& program_;
  const dataflow::Program& flow_;
  const Slots slots_;
  RulePairs pairs_; // what must come before what at one time
  Reads result_;
};

} // namespace

const Read& Reads::of(std::size_t rule, const Reference& what) const {
  for (const Read& r : reads)
    if (r.flow.rule == rule && r.flow.what.space == what.space && r.flow.what.value == what.value &&
        r.flow.what.point == what.point)
      return r;
  bug("a read that was not found");
}

Reads reads_of(const Program& program) { return ReadFinder(program).run(); }

} // namespace cyclotron::lanes
