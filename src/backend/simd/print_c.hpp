// SPDX-License-Identifier: MIT
// Kernels of the code IR --> one C file for gcc and clang, with their vectors.
//
//   workers b = 0 .. n                                  for (int64_t b = 0; b < n; b++) {
//     store z[b * 16 : 1] = x[b * 16 : 1]       -->       f32x16_store(&z[b * 16], f32x16_load(&x[b * 16]));
//                                                       }
//
// What the kernel says is what is printed: nothing is moved, joined or left out. The kernels keep their invariants.
#pragma once

#include "code/ir.hpp"

namespace cyclotron::backend::simd {

struct PrintOptions {
  std::int64_t register_bytes = 16; // of a vector register: a power of two from 16 on
  bool threads = false;             // loops whose iterations run at once run on OpenMP's threads
  bool is_part = false;             // of a file in which the caller is too: then it needs no entries
};

struct CFile {
  std::string text;
  std::vector<std::string> functions; // the name in C of each kernel
  std::vector<std::string> rooms;     // of a part: of each kernel, the function that says how much room it needs, or ""
};

// Each kernel is a function that answers 0 or the number of a failure:
//
//   int64_t NAME(const int64_t *sizes, void *const *memories, void *room, int64_t room_bytes, int threads)
//
// `sizes` and `memories` (those that are `in` or `out`) are in the order of the kernel. Each thread has `room_bytes` of
// `room`: at least as many as code::scratch_bytes says, with shared memories, and a multiple of
// code::scratch_alignment, at which `room` begins. Integers must wrap around: the compiler wants -fwrapv.
//
// In a part, functions are static, and a kernel that needs room has one that answers how many bytes, INT64_MAX where
// there are more than fit:
//
//   int64_t ROOM(const int64_t *sizes)
CFile print_c(const std::vector<code::Kernel>& kernels, const PrintOptions& options);

} // namespace cyclotron::backend::simd
