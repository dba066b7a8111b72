// SPDX-License-Identifier: MIT
// What the studies are made of: patterns of data, programs from lines, tables.
#include "study/buffers.hpp"
#include "study/corpus.hpp"
#include "study/patterns.hpp"
#include "study/report.hpp"
#include "study/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace cyclotron::study {
namespace {

using Coordinates = std::vector<std::int64_t>;

// Lengths of stretches of neighbouring coordinates.
Coordinates stretches(const Coordinates& at) {
  Coordinates lengths;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i > 0 && at[i] == at[i - 1] + 1) ++lengths.back();
    else lengths.push_back(1);
  }
  return lengths;
}

std::int64_t shared(const VectorPair& pair) {
  Coordinates both;
  std::ranges::set_intersection(pair.first.coordinates[0], pair.second.coordinates[0], std::back_inserter(both));
  return static_cast<std::int64_t>(both.size());
}

TEST(StudyPatterns, RunsTakeTurnsAndNeverMeet) {
  const VectorPair pair = runs(200, 40, 10, 1);
  for (const tensor::Entries* v : {&pair.first, &pair.second}) {
    const Coordinates& at = v->coordinates[0];
    EXPECT_EQ(at.size(), 40u);
    EXPECT_EQ(v->count(), 40);
    EXPECT_TRUE(std::ranges::is_sorted(at));
    EXPECT_GE(at.front(), 0);
    EXPECT_LT(at.back(), 200);
  }
  EXPECT_EQ(shared(pair), 0);
  EXPECT_EQ(stretches(pair.first.coordinates[0]), (Coordinates{10, 10, 10, 10}));
  for (std::size_t r = 0; r < 40; r += 10)
    EXPECT_EQ(pair.second.coordinates[0][r], pair.first.coordinates[0][r + 9] + 1);
}

TEST(StudyPatterns, TheLastRunIsShorterWhereLengthsDoNotDivide) {
  const VectorPair pair = runs(100, 10, 4, 1);
  EXPECT_EQ(pair.first.coordinates[0].size(), 10u);
  EXPECT_EQ(pair.second.coordinates[0].size(), 10u);
  EXPECT_EQ(pair.second.coordinates[0][8], pair.first.coordinates[0][9] + 1);
}

TEST(StudyPatterns, BlocksOverlapByAQuarterToThreeQuarters) {
  for (std::uint64_t seed : {1, 2, 3}) {
    const VectorPair pair = blocks(2000, 400, 40, seed);
    EXPECT_EQ(pair.first.coordinates[0].size(), 400u);
    EXPECT_EQ(pair.second.coordinates[0].size(), 400u);
    EXPECT_LT(pair.second.coordinates[0].back(), 2000);
    EXPECT_GE(shared(pair), 10 * 10);
    EXPECT_LE(shared(pair), 10 * 30);
  }
}

TEST(StudyPatterns, SeedsDecide) {
  EXPECT_EQ(blocks(2000, 400, 20, 5).first.coordinates, blocks(2000, 400, 20, 5).first.coordinates);
  EXPECT_NE(blocks(2000, 400, 20, 5).first.coordinates, blocks(2000, 400, 20, 6).first.coordinates);
}

TEST(StudyTiles, EntriesGoToTheirTilesAndEmptyOnesAreNotKept) {
  const tensor::Entries matrix{{6, 6}, {{0, 1, 5, 1}, {0, 1, 4, 0}}, std::vector<double>{1, 2, 3, 4}, false};
  const Tiles tiles = tiles_of(matrix, 3);
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles.at({0, 0}).entries.size(), 3u);
  EXPECT_EQ(tiles.at({0, 0}).rows, 2);
  EXPECT_EQ(tiles.at({0, 0}).bytes(), 2 * (2 * 3 + 2 * 2 + 3));
  EXPECT_EQ(tiles.at({1, 1}).entries[0].row, 2);
  EXPECT_EQ(tiles.at({1, 1}).entries[0].column, 1);
}

TEST(StudyTiles, TheShiftGoesRoundTheLastColumn) {
  const tensor::Entries matrix{{2, 3}, {{0, 1}, {1, 2}}, std::vector<double>{5, 6}, false};
  const tensor::Entries turned = shifted_transpose(matrix);
  EXPECT_EQ(turned.dims, (Coordinates{3, 2}));
  EXPECT_EQ(turned.coordinates[0], (Coordinates{2, 0}));
  EXPECT_EQ(turned.coordinates[1], (Coordinates{0, 1}));
}

TEST(StudyBuffers, LoadsAheadWhereThereIsRoom) {
  TileBuffer buffer({100, 10, 20, 1});
  EXPECT_EQ(buffer.load(1, 40, 0), 0 + 20 + 4 + 1);
  buffer.use_until(1000);
  EXPECT_EQ(buffer.load(1, 40, 10), 25 + 1) << "it is there already";
  buffer.use_until(1000);
  EXPECT_EQ(buffer.load(2, 40, 10), 25 + 1 + 4 + 1) << "behind the first load, without a latency of its own";
  buffer.use_until(1100);
  EXPECT_EQ(buffer.load(3, 40, 12), 1000 + 20 + 4 + 1) << "the first must make room";
  EXPECT_EQ(buffer.loaded_bytes(), 120);
}

TEST(StudyBuffers, WhatIsNoLongerInUseMakesRoom) {
  TileBuffer buffer({100, 10, 20, 1});
  buffer.load(1, 90, 0);
  buffer.use_until(40);
  EXPECT_EQ(buffer.load(2, 90, 50), 50 + 20 + 9 + 1);
}

TEST(StudyAlgorithm, FormatsAndOrderBecomeAProgram) {
  EXPECT_EQ(program_of({"y(i) = alpha * A(i,j) * x(j)", "y d, A ds10, x s", "ji"}),
            "tensor y(n_i): {dense} order (0)\n"
            "tensor alpha(): dense\n"
            "tensor A(n_i, n_j): {dense, compressed} order (1,0)\n"
            "tensor x(n_j): {compressed} order (0)\n"
            "y(i) = alpha * A(i,j) * x(j)\n"
            "schedule given {\n"
            "  order j, i\n"
            "}\n");
}

TEST(StudyCorpus, HasMoreThanAHundredAlgorithmsAllDifferent) {
  std::set<std::string> programs;
  const std::vector<Algorithm> all = corpus();
  for (const Algorithm& a : all) programs.insert(program_of(a));
  EXPECT_EQ(programs.size(), all.size());
  EXPECT_GT(all.size(), 100u);
}

TEST(StudyReport, NumbersStandRightTextsLeft) {
  StudyReport report;
  report.title = "Title";
  report.columns = {"order", "cycles", "share"};
  report.rows = {{"ijk", 1234, 1.5}, {"k", 7, 0.25}};
  report.notes = {"A remark."};
  EXPECT_EQ(to_text(report), "Title\n\n"
                             "order  cycles  share\n"
                             "ijk      1234   1.50\n"
                             "k           7   0.25\n"
                             "\nA remark.\n");
  EXPECT_EQ(to_json(report)["rows"][1].dump(), R"({"order":"k","cycles":7,"share":0.25})");
}

} // namespace
} // namespace cyclotron::study
