// SPDX-License-Identifier: MIT
// What the studies are made of: patterns of data, programs from lines, tables.
#include "driver/study_corpus.hpp"
#include "driver/study_patterns.hpp"
#include "driver/study_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace cyclotron::driver {
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

TEST(StudyPatterns, RunsTakeTurnsAndMeetOnce) {
  const VectorPair pair = runs(200, 40, 10, 1);
  for (const tensor::Entries* v : {&pair.first, &pair.second}) {
    const Coordinates& at = v->coordinates[0];
    EXPECT_EQ(at.size(), 40u);
    EXPECT_EQ(v->count(), 40);
    EXPECT_TRUE(std::ranges::is_sorted(at));
    EXPECT_GE(at.front(), 0);
    EXPECT_LT(at.back(), 200);
  }
  EXPECT_EQ(shared(pair), 4);
  EXPECT_EQ(stretches(pair.first.coordinates[0]), (Coordinates{10, 10, 10, 10}));
}

TEST(StudyPatterns, RunsOfOneAreTheSameInBoth) {
  const VectorPair pair = runs(100, 20, 1, 1);
  EXPECT_EQ(pair.first.coordinates, pair.second.coordinates);
}

TEST(StudyPatterns, TheLastRunIsShorterWhereLengthsDoNotDivide) {
  const VectorPair pair = runs(100, 10, 4, 1);
  EXPECT_EQ(pair.first.coordinates[0].size(), 10u);
  EXPECT_EQ(shared(pair), 3);
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
} // namespace cyclotron::driver
