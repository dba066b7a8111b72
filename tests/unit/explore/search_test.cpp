// SPDX-License-Identifier: MIT
// The search finds by itself what is known to be good, and what it finds is right.
#include "unit/explore/small_sweep.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cyclotron::explore {
namespace {

bool is_refused(const Point& p) { return p.verdict.rfind("refused: ", 0) == 0; }

// The fewest cycles of a family on a grid of so many PEs; 0 where there is none.
std::int64_t best(const std::vector<Point>& points, const std::string& family, std::int64_t pes) {
  std::int64_t fewest = 0;
  for (const Point& p : points)
    if (p.is_ok() && p.family == family && p.pes == pes && (fewest == 0 || *p.cycles < fewest)) fewest = *p.cycles;
  return fewest;
}

// Those that leave the operands to the compiler: there are many others, and each takes a while to compile.
std::vector<driver::Candidate> with_defaults(std::vector<driver::Candidate> candidates) {
  std::erase_if(candidates, [](const driver::Candidate& c) { return !c.choice.mapping.ways.empty(); });
  return candidates;
}

TEST(Search, FindsTheThreeStationaryFamiliesOfTheProduct) {
  const SmallSweep small(small_product);
  const auto points = small.points(with_defaults(small.candidates({{{"i", "j"}, {"i", "k"}, {"k", "j"}}, {}, {1}})));
  std::set<std::string> seen;
  for (const Point& p : points) {
    EXPECT_TRUE(p.is_ok() || is_refused(p)) << p.verdict << "\n" << p.parameters.at("schedule");
    seen.insert(p.parameters.at("operands"));
  }
  EXPECT_EQ(seen, (std::set<std::string>{"A stationary, B streamed, C streamed", "A streamed, B stationary, C streamed",
                                         "A streamed, B streamed, C stationary"}));
  // R + C + K - 2; the stationary inputs are there from the start.
  for (const char* family : {"A stationary", "B stationary", "C stationary"})
    EXPECT_EQ(best(points, family, 16), 10) << family;
}

TEST(Search, TriangularSolveIsAtLeastAsGoodAsThePapers) {
  const SmallSweep small(small_triangular_solve);
  std::int64_t fewest = 1000;
  for (const Point& p : small.points(with_defaults(small.candidates({{{"i"}, {"j"}}, {}, {1}})))) {
    EXPECT_TRUE(p.is_ok() || is_refused(p)) << p.verdict;
    if (p.is_ok() && p.pes <= 12) fewest = std::min(fewest, *p.cycles);
  }
  EXPECT_LE(fewest, 2 * 12 - 1);
}

TEST(Search, TilesTakeAsLongAsTheirMultiplyAdds) {
  const SmallSweep small(small_product);
  ProblemOptions options;
  options.spaces = {{"i", "j"}};
  options.tiles = {2};
  auto candidates = small.candidates(options);
  candidates.resize(1); // nothing said of the operands
  const Point p = small.points(candidates).at(0);
  EXPECT_EQ(p.verdict, "ok") << p.parameters.at("schedule");
  EXPECT_EQ(p.pes, 4);
  EXPECT_EQ(p.cycles, 18); // two steps of 8, and two hops
}

TEST(Search, AxesOrdersAndWaysOfTheProduct) {
  const SmallSweep small(small_product);
  const auto candidates = small.candidates();
  std::set<std::string> texts, heads;
  for (const driver::Candidate& c : candidates) {
    texts.insert(c.text);
    heads.insert(c.text.substr(0, c.text.find('\n', c.text.find("time"))));
  }
  EXPECT_EQ(texts.size(), candidates.size());
  EXPECT_EQ(heads, (std::set<std::string>{"space i, j\ntime k", "space i, k\ntime j", "space j, k\ntime i",
                                          "space i\ntime j, k", "space i\ntime k, j", "space j\ntime i, k",
                                          "space j\ntime k, i", "space k\ntime i, j", "space k\ntime j, i"}));
  // Per operand: nothing said, streamed along the one index that it lacks, broadcast, prefetched along an axis.
  EXPECT_EQ(candidates.size(), 3U * 5 * 5 + 6U * 4 * 4);
}

TEST(Search, GridsAreReachedByPassesAndByFolds) {
  const SmallSweep small(small_product);
  std::set<std::string> texts;
  for (const driver::Candidate& c : small.candidates({{{"i", "j"}}, {{2, 4}}, {1}}))
    if (c.choice.mapping.ways.empty()) texts.insert(c.text);
  EXPECT_EQ(texts,
            (std::set<std::string>{"tile i by 2 -> io, ii\ntile j by 4 -> jo, ji\nspace ii, ji\ntime io, jo, k\n",
                                   "space i, j\ntime k\nfold i block 2\nfold j block 4\n",
                                   "space i, j\ntime k\nfold i cyclic 2\nfold j cyclic 4\n"}));
}

TEST(Search, ASampleIsTheSameForTheSameSeedAndHasEveryLayout) {
  const SmallSweep small(small_product);
  driver::OwnProgram own(small.sweep);
  Diagnostics diagnostics(own.sources());
  const auto problem = Problem::of(own.checked(), {}, diagnostics);
  ASSERT_EQ(problem->count(), 171U);
  const auto sample = problem->pick(40, 7);
  EXPECT_EQ(sample.size(), 40U);
  EXPECT_EQ(sample, problem->pick(40, 7));
  EXPECT_NE(sample, problem->pick(40, 8));
  std::set<std::vector<std::string>> spaces;
  for (const std::uint64_t number : sample) spaces.insert(problem->choice(number).mapping.space);
  EXPECT_EQ(spaces.size(), 6U);
  EXPECT_EQ(problem->pick(1000, 7).size(), 171U);
}

TEST(Search, AnAxisThatIsNoIndexIsRefused) {
  const SmallSweep small(small_product);
  driver::OwnProgram own(small.sweep);
  Diagnostics diagnostics(own.sources());
  EXPECT_FALSE(Problem::of(own.checked(), {{{"q"}}, {}, {1}}, diagnostics));
  EXPECT_EQ(diagnostics.all().at(0).main.message, "--space: `q` is no index of an equation that computes");
}

} // namespace
} // namespace cyclotron::explore
