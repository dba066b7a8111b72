// SPDX-License-Identifier: MIT
// What is left of a program when inputs are loaded where they are used, and does nothing any more.
//
//   space load_w at time (0, 0), space z at time (1, q); z loads w itself   -->   space z at time (q)
#pragma once

#include "dataflow/ir.hpp"

namespace cyclotron::lower {

// Drops spaces without rules, and components of time that are one number everywhere. The components that are kept.
std::vector<std::size_t> drop_idle_parts(dataflow::Program& program);

} // namespace cyclotron::lower
