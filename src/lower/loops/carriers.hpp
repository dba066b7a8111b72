// SPDX-License-Identifier: MIT
// Which loops could carry the elements of a tensor from where they are written to where they are read, so that only
// those of a few iterations need be in memory.
#pragma once

#include "loops/ir.hpp"
#include "lower/loops/parts.hpp"

#include <set>

namespace cyclotron::lower {

// For each of the tensors the loops around the statement that writes most of it, but for the innermost, as far as they
// are a coordinate of the element, or an anti-diagonal through two of them.
std::vector<Carrier> find_carriers(const loops::Nest& nest, const recurrence::Program& program,
                                   const std::set<std::string>& tensors, const std::vector<Front>& fronts);

} // namespace cyclotron::lower
