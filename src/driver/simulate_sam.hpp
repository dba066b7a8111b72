// SPDX-License-Identifier: MIT
// `cyclotron simulate --target=sam`: a program as a graph of streams, or such a graph from a file, cycle by cycle.
#pragma once

#include "driver/simulate.hpp"

namespace cyclotron::driver {

int simulate_sam(const SimulateOptions& options);

} // namespace cyclotron::driver
