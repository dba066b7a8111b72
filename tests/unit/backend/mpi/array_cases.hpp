// SPDX-License-Identifier: MIT
// Programs of arrays with inputs and the results of the simulator: what the runtime is compared with.
#pragma once

#include "tensor/word.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::mpi {

struct ArrayCase {
  std::string name;                               // program, schedule and sizes
  std::string text;                               // the `.pe` file
  std::vector<std::vector<tensor::Word>> tensors; // of each tensor of it, row-major: the input, or the result
  std::uint64_t messages = 0, bytes = 0;          // over all links of the simulator
  std::string problem;                            // why there is no result
};

// Collective, the same on every rank. Every array schedule of every program in the folders (one that the compiler
// refuses is none), at sizes that tiles do not divide and at 0 or 1; of those every `stride`-th.
std::vector<ArrayCase> array_cases(const std::vector<std::string>& folders, std::size_t stride);

} // namespace cyclotron::mpi
