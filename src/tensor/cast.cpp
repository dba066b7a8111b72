// SPDX-License-Identifier: MIT
// Casts of whole value arrays, with a check that each value survives.
#include "tensor/cast.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace cyclotron::tensor {

namespace {

template <class To, class From> bool cast(From value, To& result) {
  if constexpr (std::is_same_v<To, std::uint8_t>) {
    result = value != 0 ? 1 : 0;
    return true;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // -2^(b-1) is exact in every floating-point type, 2^(b-1) - 1 is not: test against the power on both sides.
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    if (!(value >= low && value < -low) || value != std::trunc(value)) return false;
    result = static_cast<To>(value);
    return true;
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, float>) {
    // Compared before the cast: one out of range is undefined behaviour.
    constexpr double limit = std::numeric_limits<float>::max();
    if (std::isfinite(value) && std::abs(value) > limit) return false;
    result = static_cast<float>(value);
    return true;
  } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    result = static_cast<To>(value);
    return static_cast<From>(result) == value;
  } else {
    result = static_cast<To>(value);
    return true;
  }
}

} // namespace

Values cast_values(const Values& values, ValueType type, std::int64_t& failed) {
  Values result = make_values(type, size_of(values));
  std::visit(
      [&](const auto& from, auto& to) {
        for (std::size_t i = 0; i < from.size(); ++i)
          if (!cast(from[i], to[i])) {
            failed = static_cast<std::int64_t>(i);
            return;
          }
      },
      values, result);
  return result;
}

} // namespace cyclotron::tensor
