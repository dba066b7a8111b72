// SPDX-License-Identifier: MIT
// The kernel table's definitions as programs, to compare equations with.
#pragma once

#include "recurrence/ir.hpp"
#include "recurrence/kernels.hpp"

namespace cyclotron::lower {

struct KernelDefinition {
  const recurrence::Kernel* kernel;
  recurrence::Program program; // its inputs are the arguments in their order; the first equation defines the result
};

// In the order of the table; read once.
const std::vector<KernelDefinition>& kernel_definitions();

} // namespace cyclotron::lower
