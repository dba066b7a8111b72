// SPDX-License-Identifier: MIT
// One number of any type, as programs of processing elements hold it.
#pragma once

#include <cstdint>

namespace cyclotron::tensor {

// Floating-point numbers in `real` (f32: rounded to it), integers and bools in `whole`.
union Word {
  double real;
  std::int64_t whole;
};

inline Word real_word(double value) { return {.real = value}; }
inline Word whole_word(std::int64_t value) { return {.whole = value}; }

} // namespace cyclotron::tensor
