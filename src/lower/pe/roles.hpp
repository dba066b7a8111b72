// SPDX-License-Identifier: MIT
// PEs that have the same cells share a program.
#pragma once

#include "lower/pe/cells.hpp"

namespace cyclotron::lower {

// One role per class of PEs, with its statements.
std::vector<pe::Role> roles_of(const dataflow::Program& program, const std::vector<Order>& orders,
                               const std::vector<Cell>& cells);

} // namespace cyclotron::lower
