// SPDX-License-Identifier: MIT
// Steps that count several loops at once, taken apart: where `p` stays below `P`, `t = p + P*q` are the steps of `q`,
// and inside of each of them those of `p`.
//
//   spacetime (c, p, q) -> (s, t) = [1 0 1; 0 1 P]
//   -->  spacetime (c, p, q) -> (s, t_q, t) = [1 0 1; 0 0 1; 0 1 0];  time t_q, t
#pragma once

#include "lower/dataflow/array_equations.hpp"

namespace cyclotron::lower {

// Needs `mapping.time`. Rows of whole numbers are taken apart only where the mapping says that steps are loops. False
// where an error was reported: a row has a size for a factor, and what it is added to is not proved to stay below it.
bool unfold_steps(Mapping& mapping, const ArrayEquations& equations, Diagnostics& diagnostics);

} // namespace cyclotron::lower
