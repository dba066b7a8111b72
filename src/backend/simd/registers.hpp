// SPDX-License-Identifier: MIT
// How wide the vector registers of this machine are: what `-march=native` makes a compiler use.
#pragma once

#include <cstdint>

namespace cyclotron::backend::simd {

std::int64_t register_bytes(); // 16, 32 or 64

} // namespace cyclotron::backend::simd
