// SPDX-License-Identifier: MIT
// Arrays whose axes and steps a matrix gives: `spacetime (c, q) -> (s, t) = [1 1; 0 1]`.
#pragma once

#include "lower/dataflow/recurrence_to_dataflow.hpp"

namespace cyclotron::lower {

// The rows that `time` does not name are axes, the last row is the step unless it names others. Indices that neither
// the matrix nor `time` has are steps outside of all others. Reports maps by which, for some sizes, a value comes too
// late or a processor has two points at once.
std::optional<LoweredDataflow> on_map(const frontend::Checked& checked, const Mapping& mapping,
                                      Diagnostics& diagnostics);

} // namespace cyclotron::lower
