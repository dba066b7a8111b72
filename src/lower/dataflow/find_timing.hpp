// SPDX-License-Identifier: MIT
// The linear timing function of an array: one formula in the program's indices that says at which step a point is
// computed, such that every value that a point needs was computed early enough to get there.
//
//   t = i + j + k
#pragma once

#include "dataflow/timing.hpp"

#include <set>

namespace cyclotron::lower {

// A formula in names of the program as a timing: what it is in every space but those that `fetches` names.
dataflow::Timing timing_of(const dataflow::Program& program, const recurrence::Affine& formula,
                           const std::set<int>& fetches);

// What a formula may be made of: axes and steps. Spaces that fetch operands before the others begin have no step.
struct TimingSearch {
  std::vector<std::string> names;
  std::set<int> fetches;
};

// Searches for small coefficients; nothing where there are none.
std::optional<dataflow::Timing> find_timing(const dataflow::Program& program, const TimingSearch& among);

} // namespace cyclotron::lower
