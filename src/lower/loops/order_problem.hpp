// SPDX-License-Identifier: MIT
// Checks a nest, for all sizes: everything is computed before it is read, and no `forall` carries a dependence.
#pragma once

#include "lower/loops/nest_flow.hpp"

#include <string>

namespace cyclotron::lower {

// Empty if the order is right. Otherwise it names the first read that comes too early, or the loop that is no `forall`.
// It looks at the nest alone, not at what placement believed, so that it finds mistakes of the placement.
std::string order_problem(const loops::Nest& nest, const recurrence::Domains& domains);

} // namespace cyclotron::lower
