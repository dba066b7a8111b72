// SPDX-License-Identifier: MIT
// Whether a timing is right: every value is there when a point needs it, and no processor has two points at once.
#pragma once

#include "dataflow/flows.hpp"

#include <functional>

namespace cyclotron::dataflow {

// What happens inside a pass between spaces that have steps: the dependences that a timing is about.
std::vector<PointFlow> flows_in_pass(const Program& program, const std::function<bool(int space)>& has_steps);

// Whether all points of a space only load, each by a port of its own: that takes no time.
bool only_loads(const Program& program, int space);

// One per link, and one where a value stays; none where it is only loaded.
std::int64_t steps_needed(const Program& program, const PointFlow& flow);

// The first dependence that leaves less steps than it needs, and where; nothing where all have enough.
struct LateOperand {
  const PointFlow* flow = nullptr;
  isl::set readers;
};
std::optional<LateOperand> late_operand(const Program& program, const std::vector<PointFlow>& flows,
                                        const Timing& timing);

// Whether a processor computes points of several spaces in one step, one after the other, as a lane does.
enum class SharedSteps { no, yes };

// Two spaces, or one, of which a processor would have to compute two points at once.
struct CrowdedPlace {
  int space = 0, other = 0;
  isl::map pairs; // { point of `space` -> point of `other` }
};
std::optional<CrowdedPlace> crowded_place(const Program& program, const Timing& timing,
                                          SharedSteps shared = SharedSteps::no);

// The step of a space whose coordinates have the names of the formula; nothing where one is missing.
std::optional<Affine> step_by_names(const Timing& timing, const Space& space, const recurrence::Program& source);

std::string print(const Timing& timing); // `t = i + j + k`

} // namespace cyclotron::dataflow
