// SPDX-License-Identifier: MIT
// The linear timing function of an array: one formula in the program's indices that says at which step a point is
// computed, such that every value that a point needs was computed early enough to get there.
//
//   t = i + j + k
#pragma once

#include "lower/dataflow/time_order.hpp"

#include <set>

namespace cyclotron::lower {

using recurrence::Affine;

struct Timing {
  Affine step;                     // in names of the program
  std::vector<std::int64_t> delay; // per space, on top of it
};

// What happens inside a pass after operands have been fetched: the dependences that timing is about.
std::vector<PointFlow> flows_in_pass(const dataflow::Program& program, const std::set<int>& fetches);

// The first dependence that leaves less than one step (none, where the producer only loads); empty where all have
// enough.
std::string late_operand(const dataflow::Program& program, const std::vector<PointFlow>& flows, const Timing& timing);

// What a processor would have to compute at once; empty where it has one point in every step.
std::string crowded_place(const dataflow::Program& program, const std::set<int>& fetches, const Timing& timing);

// Searches for small coefficients of axes and steps; nothing where there are none.
std::optional<Timing> find_timing(const dataflow::Program& program, const std::vector<PointFlow>& flows,
                                  const std::vector<std::string>& names, const std::set<int>& fetches);

// The timing of a space in its own coordinates.
Affine step_in(const dataflow::Space& space, const Timing& timing, std::size_t number);

std::string print(const Timing& timing); // `t = i + j + k`

} // namespace cyclotron::lower
