// SPDX-License-Identifier: MIT
// The bytes of the parts of tensors.
#include "tensor/fiber_bytes.hpp"

#include <gtest/gtest.h>

namespace cyclotron::tensor {
namespace {

using Bytes = std::vector<std::int64_t>;

// Rows 0 and 2 of 3 x 4, with 1 and 2 entries.
Tensor matrix(LevelKind outer, LevelKind inner, Values values) {
  Sources sources;
  Diagnostics diagnostics{sources};
  Entries entries{{3, 4}, {{0, 2, 2}, {1, 0, 3}}, std::move(values), false};
  return *pack(std::move(entries), {{outer, inner}, {0, 1}}, diagnostics);
}

TEST(FiberBytes, OfCompressedLevels) {
  const Tensor t = matrix(LevelKind::compressed, LevelKind::compressed, std::vector<double>{1, 2, 3});
  EXPECT_EQ(fiber_bytes(t, 1), (Bytes{24, 40})); // a position; a coordinate and a value for each entry
  EXPECT_EQ(fiber_bytes(t, 0), (Bytes{8 + 8 + 24 + 8 + 40}));
  EXPECT_EQ(fiber_bytes(t, 2), (Bytes{8, 8, 8}));
}

TEST(FiberBytes, OfDenseLevels) {
  const Tensor t = matrix(LevelKind::dense, LevelKind::dense, std::vector<float>{1, 2, 3});
  EXPECT_EQ(fiber_bytes(t, 1), (Bytes{16, 16, 16}));
  EXPECT_EQ(fiber_bytes(t, 0), (Bytes{48}));
  const Tensor rows = matrix(LevelKind::dense, LevelKind::compressed, std::vector<double>{1, 2, 3});
  EXPECT_EQ(fiber_bytes(rows, 1), (Bytes{24, 8, 40}));
}

TEST(FiberBytes, OfLevelsOfBits) {
  const Tensor t = matrix(LevelKind::dense, LevelKind::bitvector, std::vector<double>{1, 2, 3});
  EXPECT_EQ(fiber_bytes(t, 1), (Bytes{24, 16, 32})); // a position and a word, and the values
}

} // namespace
} // namespace cyclotron::tensor
