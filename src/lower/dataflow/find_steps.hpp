// SPDX-License-Identifier: MIT
// Which way the steps of an array count. Most count up; for `x(i) = … x(i+1)` they have to count down.
#pragma once

#include "lower/dataflow/recurrence_to_dataflow.hpp"
#include "lower/dataflow/time_order.hpp"

namespace cyclotron::lower {

// The equations as a dataflow program on the axes and steps of the mapping, which names all indices: the first choice
// of directions that respects all dependences.
std::optional<LoweredDataflow> with_steps(const ArrayEquations& equations, const Mapping& mapping,
                                          Diagnostics& diagnostics);

// Writes an order into the program. `extra`: further components of time, per space.
void set_times(dataflow::Program& program, const TimeOrder& order, const std::map<int, Point>& extra);

} // namespace cyclotron::lower
