// SPDX-License-Identifier: MIT
// Where a piece of text stands: every token, every IR node and every message carries one.
#pragma once

#include <cstdint>

namespace cyclotron {

// Half-open range of bytes in one file of a `Sources` table. A default span points nowhere.
struct Span {
  std::int32_t file = -1;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool known() const { return file >= 0; }
};

// The smallest span that covers both; either may be unknown.
inline Span cover(Span a, Span b) {
  if (!a.known()) return b;
  if (!b.known() || a.file != b.file) return a;
  return {a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

} // namespace cyclotron
