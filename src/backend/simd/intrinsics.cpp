// SPDX-License-Identifier: MIT
#include "backend/simd/intrinsics.hpp"

#include <fmt/format.h>

namespace cyclotron::backend::simd {

std::optional<Intrinsics> intrinsics_for(Vector v) {
  const std::int64_t each = 8 * bytes_of(v.element), bits = each * v.lanes;
  if (bits != 128 && bits != 256 && bits != 512) return std::nullopt;
  const std::string kind = v.element == Element::f32   ? "ps"
                           : v.element == Element::f64 ? "pd"
                                                       : fmt::format("epi{}", each);
  const std::string whole = fmt::format("__m{}i", bits);
  const std::string type = kind == "ps"   ? fmt::format("__m{}", bits)
                           : kind == "pd" ? fmt::format("__m{}d", bits)
                                          : whole;
  return Intrinsics{bits == 128 ? "_mm" : fmt::format("_mm{}", bits), kind, type, whole, bits, each};
}

} // namespace cyclotron::backend::simd
