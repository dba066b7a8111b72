// SPDX-License-Identifier: MIT
// Kernels as CUDA C++:
//
//   kernel twice lanes 32                       extern "C" __global__ void __launch_bounds__(256)
//   sizes n                                     twice_kernel(i64 n, const f32 *__restrict__ x, f32 *__restrict__ z) {
//   in x: f32                                     const int lane = threadIdx.x % 32;
//   out z: f32                              -->   const i64 group = ..., groups = ...;
//   workers b = 0 .. n // 32                      for (i64 b = group; b < n >> 5; b += groups) {
//     store z[b * 32 : 1] = x[b * 32 : 1]           store(z, b * 32 + lane, load(x, b * 32 + lane));
//                                                 }
//                                               }
//
// A vector of lanes is one number in each thread of a group, which is as many neighbouring threads of a warp. Outermost
// `workers` are shared out among all groups of the grid, `blocks` among the blocks, and `workers` inside of these among
// the groups of the block: any number of blocks computes the same. Everything that has no lanes is computed by every
// thread. Exchanges between lanes are written as statements of their own, before the statement that wants them, where
// all threads of the group pass.
#pragma once

#include "code/ir.hpp"

#include <string>
#include <vector>

namespace cyclotron::backend::cuda {

constexpr std::int64_t warp_threads = 32;
constexpr std::int64_t most_threads = 1024; // of a block

// The most lanes that a kernel may have here: a group is part of one warp.
constexpr std::int64_t most_lanes = warp_threads;

// False where an error was reported: what a GPU cannot do.
bool check_printable(const std::vector<code::Kernel>& kernels, Diagnostics& diagnostics);

// All in one text, in their order, behind the functions that they use. `threads`: of a block, the most.
struct PrintOptions {
  std::int64_t threads = 256;
};
std::string print_cuda(const std::vector<code::Kernel>& kernels, const PrintOptions& options = {});
std::string print_cuda(const code::Kernel& kernel, const PrintOptions& options); // alone, and without the functions

// What it is called in the text.
std::string function_name(const code::Kernel& kernel);

// The threads of a block that the text is made for, which is the most that it may be launched with.
std::int64_t block_threads(const code::Kernel& kernel, const PrintOptions& options);

// What a launch must give, in this order.
struct Argument {
  enum class Kind { size, memory, failed, scratch, scratch_bytes } kind = Kind::size;
  std::string name; // of a size or memory
};
std::vector<Argument> arguments_of(const code::Kernel& kernel);

// Of the memories that the groups of a block share.
std::int64_t shared_bytes(const code::Kernel& kernel);

} // namespace cyclotron::backend::cuda
