// SPDX-License-Identifier: MIT
// What a kernel computes, lane by lane and slowly: what printers of C and CUDA are tested against.
#pragma once

#include "code/ir.hpp"

#include <cstddef>
#include <map>

namespace cyclotron::code {

// The bytes of elements, as they lie in memory: as many elements as there are bytes for.
using Bytes = std::vector<std::byte>;

// Where a kernel leaves something open. One that is right gives the same answer however this is chosen.
struct Choices {
  // Iterations that run at once run from the last to the first, and of lanes that store to one element the first wins.
  bool backwards = false;
  // What is in lanes that may be anything, and in scratch and shared memory that nothing was stored to. True, where it
  // is not 0.
  std::int64_t anything = 0;
};

struct Outcome {
  std::int64_t failure = 0;       // the kernel's answer
  std::optional<Problem> problem; // what must not be, and happened: then it has stopped there
};

// For a kernel that keeps the invariants. `memories` are its `in` and `out` ones; those that are `out` are changed. A
// problem is an element outside of its memory, a divisor of 0, a number that does not fit its new type, a lane that
// there is none of, and a size or a memory that is not given.
Outcome interpret(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::map<std::string, Bytes>& memories, Choices choices = {});

} // namespace cyclotron::code
