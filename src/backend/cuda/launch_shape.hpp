// SPDX-License-Identifier: MIT
// How many blocks of how many threads a kernel is launched with. Any number computes the same; this one fills the GPU:
// a group for every worker, a block for every `blocks`, but no more groups with scratch than can be resident at once.
#pragma once

#include "backend/cuda/print_cuda.hpp"

#include <optional>

namespace cyclotron::backend::cuda {

struct Room {
  std::int64_t multiprocessors = 1;
  std::int64_t resident_blocks = 1; // of a multiprocessor, with `threads` threads
};

struct LaunchShape {
  std::int64_t blocks = 1, threads = 1;
};

// `threads`: of a block, the most, as in the text. Sizes are in the order of the kernel.
LaunchShape launch_shape(const code::Kernel& kernel, const std::vector<std::int64_t>& sizes, std::int64_t threads,
                         const Room& room);

// How often the outermost loops go around that are shared out: by groups, and by blocks. Nothing where that depends on
// data.
struct Turns {
  std::optional<std::int64_t> workers = 0, blocks = 0;
};
Turns outermost_turns(const code::Kernel& kernel, const std::vector<std::int64_t>& sizes);

} // namespace cyclotron::backend::cuda
