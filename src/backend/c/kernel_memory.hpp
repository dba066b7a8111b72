// SPDX-License-Identifier: MIT
// What was found out about a kernel when it was made: enough for the next process to load and call it, without placing
// loops or writing C again only to learn that the result is there.
//
// A memory is found by a hash of all that decides what a kernel is: our own code, the program, the schedule, the
// options, and the compiler. It lies in the cache, and without the cache there is none.
#pragma once

#include "backend/c/kernel.hpp"

namespace cyclotron::backend::c {

struct KernelMemory {
  std::shared_ptr<const Library> library;
  std::vector<Argument> arguments; // what a call needs to know of them: kind, name, level and mask
  bool narrows = false;
  std::vector<std::string> order; // of its loops
};

// The key of a memory; "" where none can be kept.
std::string memory_key(const recurrence::Program& program, const schedule::Schedule* schedule,
                       const KernelOptions& options);

// Nothing where there is no memory of the kernel, or no kernel any more.
std::optional<KernelMemory> recall(const std::string& key, const BuildOptions& options);

// Only where the kernel lies in the cache, and not in a folder that goes when this process ends.
void remember(const std::string& key, const KernelMemory& memory, const BuildOptions& options);

} // namespace cyclotron::backend::c
