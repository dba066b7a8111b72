// SPDX-License-Identifier: MIT
// The linear timing function of an array: one formula in the program's indices that says at which step a point is
// computed, such that every value that a point needs was computed early enough to get there.
//
//   t = i + j + k
#pragma once

#include "lower/time_order.hpp"

namespace cyclotron::lower {

using recurrence::Affine;

struct Timing {
  Affine step;                     // in names of the program
  std::vector<std::int64_t> delay; // per space, on top of it
};

// The first dependence that leaves less than one step per link (or per step on a processor); empty where all have enough.
std::string late_operand(const dataflow::Program& program, const std::vector<PointFlow>& flows, const Timing& timing);

// Searches for small coefficients of axes and steps; nothing where there are none.
std::optional<Timing> find_timing(const dataflow::Program& program, const std::vector<std::string>& names);

} // namespace cyclotron::lower
