// SPDX-License-Identifier: MIT
// Which rank gets which PE and which part of a tensor.
#include "pe/placement.hpp"
#include "unit/pe/traced.hpp"

#include <gtest/gtest.h>

namespace cyclotron::pe {
namespace {

using Ranks = std::vector<int>;

// A square of ranks: then every element of A and B goes to one other rank, and to three with ranks in a row.
TEST(Placement, ASquareMovesLeast) {
  const Traced t(output_stationary(4, 4, 4));
  const Placement blocks = place(t.executable, t.trace, 4);
  EXPECT_EQ(blocks.ranks, 4);
  EXPECT_EQ(blocks.rank_of, (Ranks{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3, 0}));
  EXPECT_EQ(blocks.text, "i in blocks over 2, j in blocks over 2");
  const Placement cyclic = place(t.executable, t.trace, 4, Spread::cyclic);
  EXPECT_EQ(cyclic.rank_of, (Ranks{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3, 0}));
  EXPECT_EQ(cyclic.text, "i cyclic over 2, j cyclic over 2");
}

// Later rows of a triangle have more to do.
TEST(Placement, InTurnBalancesATriangle) {
  const Traced t(triangular_solve(6));
  EXPECT_EQ(place(t.executable, t.trace, 2).rank_of, (Ranks{0, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(place(t.executable, t.trace, 3, Spread::block).rank_of, (Ranks{0, 0, 1, 1, 2, 2, 0}));
}

TEST(Placement, AnyNumberOfRanks) {
  const Traced t(output_stationary(3, 5, 2));
  for (int ranks = 1; ranks <= 20; ++ranks)
    for (const std::optional<Spread> spread : {std::optional<Spread>(), {Spread::block}, {Spread::cyclic}}) {
      const Placement placement = place(t.executable, t.trace, ranks, spread);
      EXPECT_EQ(placement.ranks, ranks);
      ASSERT_EQ(placement.rank_of.size(), 16U);
      EXPECT_EQ(placement.rank_of.back(), 0);
      for (int r : placement.rank_of) EXPECT_TRUE(r >= 0 && r < ranks) << r << " of " << ranks;
    }
}

TEST(Placement, OwnersAreBalancedAndUseWhatTheyHave) {
  const Traced t(output_stationary(4, 4, 4));
  const Placement placement = place(t.executable, t.trace, 4);
  const Ownership made = own(t.executable, t.trace, placement);
  EXPECT_EQ(made.bytes, (std::vector<std::int64_t>{96, 96, 96, 96})); // 4 elements of each of three tensors
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) {
      const auto part = static_cast<std::size_t>(4 * i + k);
      EXPECT_EQ(made.owners[0][part] / 2, i / 2) << "A(" << i << "," << k << ") is used in its row of PEs";
      EXPECT_EQ(made.owners[1][part] % 2, k / 2) << "B(" << i << "," << k << ") is used in its column of PEs";
      EXPECT_EQ(made.owners[2][part], placement.rank_of[part]) << "C(" << i << "," << k << ") is stored there";
    }
}

// What nobody uses or stores is somewhere, too: the upper triangle of L.
TEST(Placement, PartsThatNobodyUsesHaveAnOwner) {
  const Traced t(triangular_solve(4));
  const Ownership made = own(t.executable, t.trace, place(t.executable, t.trace, 3));
  for (const auto& of_tensor : made.owners)
    for (int owner : of_tensor) EXPECT_TRUE(owner >= 0 && owner < 3) << owner;
  EXPECT_EQ(made.bytes[0] + made.bytes[1] + made.bytes[2], 8 * (16 + 4 + 4));
}

} // namespace
} // namespace cyclotron::pe
