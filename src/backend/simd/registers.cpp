// SPDX-License-Identifier: MIT
#include "backend/simd/registers.hpp"

namespace cyclotron::backend::simd {

std::int64_t register_bytes() {
#if defined(__x86_64__) || defined(__i386__)
  // The extensions that have all our types: words and double words too, and whole numbers.
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

} // namespace cyclotron::backend::simd
