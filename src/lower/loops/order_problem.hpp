// SPDX-License-Identifier: MIT
// Whether a nest computes everything before it is read, for all sizes, and each `forall` is one.
#pragma once

#include "lower/loops/nest_flow.hpp"

#include <string>

namespace cyclotron::lower {

// Empty where the order is right, else the first read that comes too early, or the loop that is no `forall`. Looks at
// the nest alone, so that it finds the mistakes of whoever made it.
std::string order_problem(const loops::Nest& nest, const recurrence::Domains& domains);

} // namespace cyclotron::lower
