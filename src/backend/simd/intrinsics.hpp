// SPDX-License-Identifier: MIT
// The functions of x86 processors for vectors, which compilers declare in <immintrin.h>. We use them where plain C
// makes several times as many instructions of both gcc 12 and clang 14, or of one of them; beside them the plain form
// stands.
//
//   {f32, 16}   -->   "_mm512" "ps" "__m512":   _mm512_maskz_loadu_ps
#pragma once

#include "backend/simd/lane_functions.hpp"

#include <optional>

namespace cyclotron::backend::simd {

// What the functions of x86 processors for vectors are called, where they have the width of a register.
struct Intrinsics {
  std::string prefix;      // "_mm512"
  std::string kind;        // "ps", "epi32"
  std::string type;        // "__m512", "__m512i"
  std::string whole_type;  // "__m512i"
  std::int64_t bits, each; // of all lanes, of one
};

std::optional<Intrinsics> intrinsics_for(Vector v);

// A line before what only newer processors have. Those that have one of these extensions have all, but for a few.
constexpr std::string_view if_avx512 = "#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)\n";

} // namespace cyclotron::backend::simd
