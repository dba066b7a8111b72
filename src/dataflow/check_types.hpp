// SPDX-License-Identifier: MIT
// Types and shapes of rules, as the language has them.
#pragma once

#include "dataflow/ir.hpp"

namespace cyclotron::dataflow {

// Reports types and shapes that disagree: each value is seen as a tensor over its space.
void check_types(const Program& program, Diagnostics& diagnostics);

} // namespace cyclotron::dataflow
