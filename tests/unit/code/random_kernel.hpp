// SPDX-License-Identifier: MIT
// Random kernels of the code IR that keep the invariants, and do nothing that must not be: for tests that compare what
// several things make of a kernel. Nothing in them depends on what is left open (code::Choices).
#pragma once

#include "code/ir.hpp"

#include <map>
#include <random>

namespace cyclotron::code {

struct RandomKernel {
  Kernel kernel;
  std::map<std::string, std::int64_t> elements; // that its `in` and `out` memories must have; all sizes are 0 to 5
};

// Without exp, log and pow, which compilers and libraries may round differently.
RandomKernel random_kernel(std::mt19937_64& random, const std::string& name);

} // namespace cyclotron::code
