// SPDX-License-Identifier: MIT
// Which of two nests walks its data better: a rough count, good enough to choose an order by.
#pragma once

#include "loops/ir.hpp"
#include "lower/loops/parts.hpp"

namespace cyclotron::lower {

double cost_of(const loops::Nest& nest, const recurrence::Program& program);

// Whether two groups of parts, each with the variable that it would run along, may share a loop without one having to
// walk every coordinate where the other walks only what is stored.
bool share_structure(const Parts& parts, const recurrence::Program& program,
                     const std::map<std::size_t, std::string>& a, const std::map<std::size_t, std::string>& b);

} // namespace cyclotron::lower
