// SPDX-License-Identifier: MIT
// Which values only carry an input along: they can be loaded again anywhere, and need not come from where they were.
#pragma once

#include "lanes/ir.hpp"

namespace cyclotron::lanes {

// (c, q)_X <- x(c+q) : q == 0     -->   X is a copy of x(c+q)
// (c, q)_X <- (c+1, q-1)_X : …
std::vector<std::optional<Copy>> copies_of(const dataflow::Program& program);

// The element that a copy is read for, in the coordinates of the reader.
recurrence::Point element_again(const Program& program, const Copy& copy, const dataflow::Reference& what);

std::size_t number_of_value(const dataflow::Program& program, int space, const std::string& name);

} // namespace cyclotron::lanes
