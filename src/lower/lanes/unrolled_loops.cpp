// SPDX-License-Identifier: MIT
#include "lower/lanes/unrolled_loops.hpp"

#include "lanes/slots.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using lanes::Component;

namespace {

constexpr std::int64_t most_iterations = 64; // of all such loops together

// Nothing where the schedule's name for it is that of no loop.
Component* loop_called(lanes::Program& program, const std::string& name) {
  const auto found = std::find_if(program.time.begin(), program.time.end(),
                                  [&](const Component& c) { return !c.constant && !c.worker && c.name == name; });
  return found == program.time.end() ? nullptr : &*found;
}

std::string loops_of(const lanes::Program& program) {
  std::string names;
  for (const Component& c : program.time)
    if (!c.constant && !c.worker) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", c.name);
  return names;
}

} // namespace

bool mark_unrolled(lanes::Program& program, const LaneMachine& machine, Diagnostics& diagnostics) {
  std::int64_t iterations = 1;
  for (const UnrolledLoop& wanted : machine.unrolled) {
    Component* loop = loop_called(program, machine.loop_named(wanted.name));
    if (!loop) {
      const std::string names = loops_of(program);
      diagnostics.error(wanted.span, fmt::format("`{}` is no loop that could be written out", wanted.name))
          .with_hint(names.empty() ? "there are none" : "the loops of an element are " + names);
      return false;
    }
    const auto extent = lanes::extent_of(program, static_cast<std::size_t>(loop - program.time.data()));
    if (!extent) {
      diagnostics
          .unsupported(wanted.span,
                       fmt::format("`unroll {}` writes out all iterations, and how many there are depends on sizes",
                                   wanted.name))
          .with_hint(fmt::format("split it first: `tile {0} by 16 -> {0}o, {0}i`, then `unroll {0}i`", wanted.name));
      return false;
    }
    if (wanted.iterations && *wanted.iterations != extent->count) {
      diagnostics
          .error(wanted.span, fmt::format("`unroll {}` writes out all of its {} iterations, not {}", wanted.name,
                                          extent->count, *wanted.iterations))
          .with_hint(fmt::format("write `unroll {}`", wanted.name));
      return false;
    }
    loop->unrolled = true;
    iterations *= extent->count;
    if (iterations > most_iterations) {
      diagnostics
          .unsupported(wanted.span, fmt::format("{} iterations are too many to be written out: at most {}", iterations,
                                                most_iterations))
          .with_hint("leave an outer loop as it is, or split it by a smaller number");
      return false;
    }
  }
  const Component* around = nullptr;
  for (const Component& c : program.time) {
    if (around && !c.unrolled && !c.constant) {
      diagnostics
          .unsupported(machine.unrolled.front().span,
                       fmt::format("`{}` cannot be written out: the loop `{}` is inside of it", around->name, c.name))
          .with_hint(fmt::format("`unroll` `{}` too, or give `time` another order", c.name));
      return false;
    }
    if (c.unrolled) around = &c;
  }
  return true;
}

} // namespace cyclotron::lower
