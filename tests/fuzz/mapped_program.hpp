// SPDX-License-Identifier: MIT
// Random sums and uniform recurrences, each with a schedule `random` that maps its indices by a matrix.
//
//   z(c) = sum[q](x(2*c+q) * w(q))                          spacetime (c, q) -> (s, t) = [1 0; -1 2]
//   Z(i,j) = select(i < 1, a(i+j), Z(i-1,j+2)) + b(j)       spacetime (j, i) -> (s, t) = [1 1; 0 1]
#pragma once

#include <cstdint>
#include <string>

namespace cyclotron::fuzz {

std::string mapped_program(std::uint64_t seed);

} // namespace cyclotron::fuzz
