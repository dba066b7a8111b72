// SPDX-License-Identifier: MIT
#include "lower/lanes/dataflow_to_lanes.hpp"

#include "lanes/copies.hpp"
#include "lanes/placed.hpp"
#include "lanes/reads.hpp"
#include "lanes/rule_order.hpp"
#include "lanes/strips.hpp"
#include "lower/lanes/idle_parts.hpp"
#include "lower/lanes/keep_step.hpp"
#include "lower/lanes/other_targets.hpp"
#include "lower/lanes/place_inputs.hpp"
#include "lower/lanes/reload.hpp"
#include "lower/lanes/unrolled_loops.hpp"
#include "lower/lanes/workers.hpp"
#include "recurrence/isl_limit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using lanes::Flow;
using lanes::Strips;

namespace {

constexpr std::int64_t most_in_one_strip = 4; // elements per lane, before an array is cut into strips
constexpr std::int64_t few_registers = 8;     // so many leave enough for what a step computes in between

class DataflowToLanes {
public:
  DataflowToLanes(const LaneMachine& machine, const std::optional<TimingSearch>& timing, Diagnostics& diagnostics)
      : machine_(machine), timing_(timing), diagnostics_(diagnostics) {}

  std::optional<lanes::Program> run(const dataflow::Program& program) {
    if (!is_linear(program)) return std::nullopt;
    auto made = keep_step(program, machine_, timing_, diagnostics_);
    if (!made || !find_workers(*made, machine_, diagnostics_) || !mark_unrolled(*made, machine_, diagnostics_))
      return std::nullopt;
    const auto from = lanes::first_element(made->flow);
    if (!from) return std::nullopt; // needs sizes as numbers
    made->from = *from;
    const auto flows = lanes::flows_of(made->flow);
    if (!lanes::rules_in_order(made->flow.rules.size(), lanes::needs_at_one_time(made->flow, flows))) {
      diagnostics_.unsupported(span_of(*made), "in one step, equations of different elements need each other")
          .with_hint(other_targets);
      return std::nullopt;
    }
    return cut(std::move(*made));
  }

private:
  static Span span_of(const lanes::Program& program) {
    return program.flow.rules.empty() ? Span{} : program.flow.rules.front().span;
  }

  bool is_linear(const dataflow::Program& program) {
    const Span span = program.rules.empty() ? Span{} : program.rules.front().span;
    if (program.axes.size() > 1)
      diagnostics_
          .unsupported(span, fmt::format("lanes are an array of one axis, and this one has {}", program.axes.size()))
          .with_hint(fmt::format("give `space` one index, and the others to `time`; {}", other_targets));
    for (const dataflow::Value& v : program.values)
      if (!v.tile.empty())
        diagnostics_.unsupported(span, fmt::format("`{}` is a tile, and lanes hold numbers", v.name))
            .with_hint(fmt::format("leave `tile` out; {}", other_targets));
    if (!machine_.axis.empty() && program.axes != std::vector{machine_.axis})
      diagnostics_.error(machine_.axis_span, fmt::format("`{}` is not the axis of this array", machine_.axis))
          .with_hint(program.axes.empty() ? "give the array an axis with `space` or `spacetime`"
                                          : fmt::format("its axis is `{}`", program.axes.front()));
    return !diagnostics_.failed();
  }

  std::optional<lanes::Program> cut(lanes::Program program) {
    const auto most = lanes::most_elements(program.flow, program.from);
    program.shape = {machine_.lanes, 1, machine_.layout};
    if (most && *most <= machine_.lanes * machine_.per_lane.value_or(most_in_one_strip)) {
      program.strips = Strips::one;
      program.shape.per_lane = machine_.per_lane.value_or(std::max<std::int64_t>(1, ceil_div(*most, machine_.lanes)));
      return within_registers(std::move(program), false);
    }
    program.strips = lanes::order_of_strips(program);
    if (machine_.per_lane) program.shape.per_lane = *machine_.per_lane;
    else if (program.strips == Strips::parallel) program.shape.per_lane = 4;
    else if (program.strips != Strips::inside) program.shape.per_lane = 2;
    return within_registers(std::move(program), !machine_.per_lane);
  }

  // Fewer elements per lane need fewer registers, as far as nobody has asked for them. Where strips come one after the
  // other, what passes from one to the next costs the same for any number of elements: so a lane has twice as many
  // where that takes few registers.
  std::optional<lanes::Program> within_registers(lanes::Program program, bool may_choose) {
    bool may_grow = may_choose && (program.strips == Strips::rising || program.strips == Strips::falling);
    for (;;) {
      if (!load_what_waits_in_memory(program) || !place_inputs(program, machine_, diagnostics_)) return std::nullopt;
      const std::int64_t registers = lanes::reads_of(program).registers;
      if (may_grow && 2 * registers <= std::min(few_registers, machine_.registers)) {
        program.shape.per_lane *= 2;
        may_grow = false;
        continue;
      }
      if (registers <= machine_.registers) {
        drop_idle(program);
        return program;
      }
      if (may_choose && program.shape.per_lane > 1) {
        program.shape.per_lane /= 2;
        continue;
      }
      refuse_registers(program, registers);
      return std::nullopt;
    }
  }

  void refuse_registers(const lanes::Program& program, std::int64_t registers) {
    std::string placed;
    if (const std::int64_t own = lanes::registers_of_placed(program); own > 0)
      placed = fmt::format(", {} of them for what is placed in registers", own);
    const std::string wait = "choose a `spacetime` by which values wait for fewer steps";
    diagnostics_
        .unsupported(span_of(program), fmt::format("these lanes need {} vector registers{}, and the machine has {}",
                                                   registers, placed, machine_.registers))
        .with_hint(fmt::format("{}{}{}",
                               program.shape.per_lane > 1
                                   ? fmt::format("give a lane fewer than {} elements, or ", program.shape.per_lane)
                                   : "",
                               placed.empty() ? "" : "leave `place` out, or ", wait));
  }

  static void drop_idle(lanes::Program& program) {
    const std::vector<lanes::Component> before = program.time;
    std::vector<std::size_t> kept = drop_idle_parts(program.flow);
    const std::vector<lanes::Component> left = lanes::components_of(program.flow);
    for (std::size_t c = kept.size(); c-- > 0;)
      if (before[kept[c]].worker && left[c].constant) drop_component(program.flow, c, kept);
    program.time = lanes::components_of(program.flow);
    for (std::size_t c = 0; c < kept.size(); ++c) {
      program.time[c].worker = before[kept[c]].worker;
      program.time[c].workers = before[kept[c]].workers;
      program.time[c].unrolled = before[kept[c]].unrolled;
    }
    program.copies = lanes::copies_of(program.flow);
  }

  // The spaces over whose iterations workers went are gone. What is left at different numbers needs nothing of each
  // other, so that the numbers order nothing.
  static void drop_component(dataflow::Program& flow, std::size_t c, std::vector<std::size_t>& kept) {
    for (dataflow::Space& s : flow.spaces) s.time.erase(s.time.begin() + static_cast<std::ptrdiff_t>(c));
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(c));
  }

  // A copy that would come from memory comes from the input itself, unless the schedule has it travel.
  bool load_what_waits_in_memory(lanes::Program& program) {
    for (;;) {
      const lanes::Reads reads = lanes::reads_of(program);
      bool again = false;
      const Flow* refused = nullptr;
      reload(program.flow, program.copies, [&](const Flow& f) {
        const lanes::Read& read = reads.of(f.rule, f.what);
        if (read.fetch != lanes::Fetch::table) return false;
        const auto& copy = program.copies[lanes::number_of_value(program.flow, f.what.space, f.what.value)];
        if (machine_.streamed.count(copy->tensor)) refused = &read.flow;
        again = true;
        return true;
      });
      if (refused) return refuse_stream(program, *refused);
      if (!again) return true;
      program.copies = lanes::copies_of(program.flow);
    }
  }

  bool refuse_stream(const lanes::Program& program, const Flow& f) {
    const std::string from = !f.places        ? "elements at different distances"
                             : *f.places == 0 ? "the same element"
                                              : fmt::format("{} places away", *f.places);
    diagnostics_
        .unsupported(program.flow.rules[f.rule].span,
                     fmt::format("`{}` cannot travel through registers: what is used here comes from {}, where it was "
                                 "not a few steps before",
                                 f.what.value, from))
        .with_hint("leave `stream` out: it is then loaded where it is used");
    return false;
  }

  const LaneMachine& machine_;
  const std::optional<TimingSearch>& timing_;
  Diagnostics& diagnostics_;
};

} // namespace

std::optional<lanes::Program> dataflow_to_lanes(const dataflow::Program& program, const LaneMachine& machine,
                                                Diagnostics& diagnostics, const std::optional<TimingSearch>& timing) {
  const Question asked{program.rules.empty() ? Span{} : program.rules.front().span, "how values reach these lanes",
                       "choose another axis; constraints with many cases multiply the work"};
  return within_isl_limit(asked, diagnostics,
                          [&] { return DataflowToLanes(machine, timing, diagnostics).run(program); })
      .value_or(std::nullopt);
}

} // namespace cyclotron::lower
