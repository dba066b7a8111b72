// SPDX-License-Identifier: MIT
// What the text of a nest leaves out because the program says it: the equation of each statement, the type of each
// expression, the temporaries, and which loops run along a reduction.
#pragma once

#include "loops/ir.hpp"

namespace cyclotron::loops {

// What the text says besides the nest.
struct Written {
  std::vector<std::optional<tensor::ValueType>> types; // of what is assigned, `tn(i): i64 += …`, statement by statement
};

// False where an error was reported: a statement that is no part of an equation, a temporary that is another's.
bool link(Nest& nest, const Written& written, const recurrence::Program& program, const recurrence::Types& types,
          Diagnostics& diagnostics);

} // namespace cyclotron::loops
