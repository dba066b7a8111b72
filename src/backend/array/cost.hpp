// SPDX-License-Identifier: MIT
// How long a kernel takes on a machine.
#pragma once

#include "backend/array/machine.hpp"
#include "recurrence/kernels.hpp"

#include <vector>

namespace cyclotron::array {

// At least 1.
Time cycles_of(const recurrence::Kernel& kernel, const std::vector<recurrence::Tile>& arguments,
               const Machine& machine);

} // namespace cyclotron::array
