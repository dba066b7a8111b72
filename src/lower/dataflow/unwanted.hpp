// SPDX-License-Identifier: MIT
#pragma once

#include "dataflow/ir.hpp"

#include <set>

namespace cyclotron::lower {

// Outputs that nobody wants do not leave the array: their exports and constants go.
void drop_unwanted(dataflow::Program& program, const std::set<std::string>& unwanted);

} // namespace cyclotron::lower
