// SPDX-License-Identifier: MIT
// What the table says of each kind of level is what packing stores.
#include "random_tensors.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cyclotron::tensor {
namespace {

TEST(Levels, NamesAndLettersTellThemApart) {
  for (const LevelProperties& row : level_table) {
    EXPECT_EQ(level_kind_named(row.name), row.kind);
    EXPECT_EQ(&properties_of(row.kind), &row);
    for (const LevelProperties& other : level_table) EXPECT_EQ(row.letter == other.letter, &row == &other);
  }
  EXPECT_EQ(level_kind_named("sparse"), std::nullopt);
}

// Whether some parent of a level of lists has a coordinate twice.
bool has_repeated(const Level& level) {
  for (std::size_t parent = 0; parent + 1 < level.positions.size(); ++parent)
    for (std::int64_t p = level.positions[parent] + 1; p < level.positions[parent + 1]; ++p)
      if (level.coordinates[static_cast<std::size_t>(p - 1)] == level.coordinates[static_cast<std::size_t>(p)])
        return true;
  return false;
}

RC_GTEST_PROP(Levels, HaveTheArraysAndTheEntriesThatTheTableSays, ()) {
  const int rank = *rc::gen::inRange(1, 4);
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto tensor = pack(random_entries(rank, random_type()), random_format(rank), diagnostics);
  RC_ASSERT(tensor.has_value());
  std::int64_t parents = 1;
  for (std::size_t l = 0; l < tensor->levels.size(); ++l) {
    const Level& level = tensor->levels[l];
    const LevelProperties& has = properties_of(level.kind);
    const std::int64_t entries = entry_count(level, parents);
    RC_ASSERT(level.positions.size() == (has.positions ? static_cast<std::size_t>(parents) + 1 : 0));
    if (has.positions) RC_ASSERT(level.positions.back() == entries);
    RC_ASSERT(level.coordinates.size() == (has.coordinates ? static_cast<std::size_t>(entries) : 0));
    RC_ASSERT(has.bits || level.bits.empty());
    if (has.full) RC_ASSERT(entries == parents * level.size);
    if (has.branchless) RC_ASSERT(entries == parents);
    if (has.listed() && has_repeated(level)) RC_ASSERT(has.may_repeat && repeats(tensor->format, l));
    parents = entries;
  }
  RC_ASSERT(tensor->stored() == parents);
}

} // namespace
} // namespace cyclotron::tensor
