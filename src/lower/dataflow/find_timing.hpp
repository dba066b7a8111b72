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

// Searches for small coefficients of these axes and steps; nothing where there are none. Spaces that fetch operands
// before the others begin have no step.
std::optional<dataflow::Timing> find_timing(const dataflow::Program& program, const std::vector<std::string>& names,
                                            const std::set<int>& fetches);

} // namespace cyclotron::lower
