// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace cyclotron::test {

// How many bytes this thread has asked `new` for. What kernels allocate for themselves is not in it.
std::int64_t& allocated();

} // namespace cyclotron::test
