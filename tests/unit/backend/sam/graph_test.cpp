// SPDX-License-Identifier: MIT
// Whole graphs: results, cycles, and what is said about a run.
#include "backend/sam/simulate.hpp"
#include "bench.hpp"
#include "graphs.hpp"
#include "tensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cyclotron::sam {
namespace {

using stream::Block;
using stream::Graph;

// x(i) = sum[j] B(i,j) * c(j), i outside.
struct Product : Builder {
  int rows, columns, vector, joined, reduced;

  Product() {
    rows = scanner("B", "i", 0, true);
    columns = scanner("B", "j", 1);
    const int signals = block(Block::repsiggen, "i");
    const int again = block(Block::repeat, "i", "c");
    last().root = true;
    vector = scanner("c", "j", 0);
    joined = joiner(Block::intersect, "j", {1, 1});
    const int b = block(Block::arrayvals, "", "B"), c = block(Block::arrayvals, "", "c");
    const int times = alu(stream::Operation::mul);
    reduced = block(Block::reduce, "j");
    last().keeps_empty = false;
    const int drop = block(Block::crddrop);
    const int level = writer("x", "i", 0), values = writer("x", "", -1);
    graph.connect(rows, 1, columns, 0);
    graph.connect(rows, 0, signals, 0);
    graph.connect(signals, 0, again, 1);
    graph.connect(again, 0, vector, 0);
    graph.connect(columns, 0, joined, 0);
    graph.connect(columns, 1, joined, 1);
    graph.connect(vector, 0, joined, 2);
    graph.connect(vector, 1, joined, 3);
    graph.connect(joined, 1, b, 0);
    graph.connect(joined, 2, c, 0);
    graph.connect(b, 0, times, 0);
    graph.connect(c, 0, times, 1);
    graph.connect(times, 0, reduced, 0);
    graph.connect(rows, 0, drop, 0);
    graph.connect(joined, 0, drop, 1);
    graph.connect(drop, 0, level, 0);
    graph.connect(reduced, 0, values, 0);
    result("x", {tensor::LevelKind::compressed});
  }
};

// The matrix and the vector of the published tools' smallest test: 33 cycles.
const tensor::Tensor matrix = sparse({6, 5}, {{{1, 0}, 7},
                                              {{1, 1}, 8},
                                              {{1, 3}, 1},
                                              {{1, 4}, 3},
                                              {{3, 1}, 2},
                                              {{3, 2}, 8},
                                              {{3, 3}, 2},
                                              {{4, 0}, 8},
                                              {{4, 2}, 4},
                                              {{4, 4}, 7},
                                              {{5, 0}, 3}});
const tensor::Tensor vector = sparse({5}, {{{0}, 3}, {{1}, 2}, {{2}, 1}, {{3}, 2}});

class SamGraph : public testing::Test {
protected:
  std::optional<sam::Run> run(const Graph& graph, const Options& options = {}, const tensor::Tensor& b = matrix,
                              const tensor::Tensor& c = vector) {
    return simulate(graph, {{"B", &b}, {"c", &c}}, {6}, {}, options, diagnostics_);
  }
  std::string problem() const { return diagnostics_.all().empty() ? "" : diagnostics_.all().front().main.message; }

  Sources sources_;
  Diagnostics diagnostics_{sources_};
  Product product_;
};

TEST_F(SamGraph, ResultAndCycles) {
  const auto result = run(product_.graph);
  ASSERT_TRUE(result) << problem();
  EXPECT_EQ(result->cycles, 33);
  EXPECT_EQ(result->result, sparse({6}, {{{1}, 39}, {{3}, 16}, {{4}, 28}, {{5}, 9}}));
}

TEST_F(SamGraph, ARowWithoutProductsIsLeftOut) {
  const auto result = run(product_.graph, {}, matrix, sparse({5}, {{{4}, 2}}));
  ASSERT_TRUE(result) << problem();
  EXPECT_EQ(result->result, sparse({6}, {{{1}, 6}, {{4}, 14}}));
}

TEST_F(SamGraph, NothingAtAll) {
  const auto result = run(product_.graph, {}, sparse({6, 5}, {}), vector);
  ASSERT_TRUE(result) << problem();
  EXPECT_EQ(result->result, sparse({6}, {}));
}

TEST_F(SamGraph, ADenseResult) {
  product_.graph.result.format = tensor::dense_format(1);
  const auto result = run(product_.graph);
  ASSERT_TRUE(result) << problem();
  EXPECT_EQ(std::get<std::vector<double>>(result->result.values), (std::vector<double>{0, 39, 0, 16, 28, 9}));
}

TEST_F(SamGraph, NothingDependsOnWindowsAndOrder) {
  Options options;
  options.tokens = true;
  const auto expected = run(product_.graph, options);
  for (const std::size_t window : {0, 1, 2, 5})
    for (const std::uint64_t shuffle : {0, 1, 2, 3}) {
      options.window = window;
      options.shuffle = shuffle;
      const auto other = run(product_.graph, options);
      ASSERT_TRUE(other) << problem();
      EXPECT_EQ(other->cycles, 33);
      EXPECT_EQ(other->result, expected->result);
      for (std::size_t e = 0; e < expected->traces.size(); ++e)
        EXPECT_EQ(spell(other->traces[e]), spell(expected->traces[e]));
      for (std::size_t s = 0; s < expected->streams.size(); ++s)
        EXPECT_EQ(other->streams[s].most_waiting, expected->streams[s].most_waiting) << other->streams[s].name;
    }
}

TEST_F(SamGraph, TokensWithTheCyclesInWhichTheyAreThere) {
  Options options;
  options.tokens = true;
  const auto result = run(product_.graph, options);
  ASSERT_TRUE(result) << problem();
  EXPECT_EQ(spell(result->traces[0]), "1:0 2:1 3:2 4:3 5:S0 6:D");
  EXPECT_EQ(spell(result->traces[4]), "2:0 3:1 4:3 5:4 6:S0 7:1 8:2 9:3 10:S0 11:0 12:2 13:4 14:S0 15:0 16:S1 17:D");
}

TEST_F(SamGraph, MemoryThatAnswersLater) {
  Options options;
  options.memory_latency = 11;
  const auto result = run(product_.graph, options);
  ASSERT_TRUE(result) << problem();
  EXPECT_GE(result->cycles, 33 + 3 * 10);  // rows, columns, values: one after the other
  EXPECT_LT(result->cycles, 33 + 10 * 10); // but not once a token
}

TEST_F(SamGraph, CountsOfTokens) {
  const auto result = run(product_.graph);
  ASSERT_TRUE(result) << problem();
  const auto& stream = *std::ranges::find_if(
      result->streams, [&](const StreamStatistics& s) { return s.node == product_.columns && s.port == 0; });
  EXPECT_EQ(stream.name, "fiberlookup B.j crd");
  EXPECT_EQ(stream.data, 11U);
  EXPECT_EQ(stream.stop, 4U);
  EXPECT_EQ(stream.empty, 0U);
  EXPECT_EQ(stream.done, 1U);
  const BlockStatistics& scanner = result->blocks[static_cast<std::size_t>(product_.columns)];
  EXPECT_EQ(scanner.label, "fiberlookup B.j");
  EXPECT_EQ(scanner.busy, 16);
  EXPECT_EQ(scanner.end, 17);
}

TEST_F(SamGraph, BoundedWiresGiveTheSameResultLater) {
  const std::map<std::size_t, Time> cycles = {{2, 36}, {3, 33}, {64, 33}};
  for (const auto& [capacity, expected] : cycles) {
    Options options;
    options.capacity = capacity;
    const auto result = run(product_.graph, options);
    ASSERT_TRUE(result) << problem();
    EXPECT_FALSE(result->deadlock);
    EXPECT_EQ(result->result, sparse({6}, {{{1}, 39}, {{3}, 16}, {{4}, 28}, {{5}, 9}}));
    EXPECT_EQ(result->cycles, expected) << capacity;
  }
}

TEST_F(SamGraph, ADeadlockNamesTheBlocks) {
  Options options;
  options.capacity = 1;
  const auto result = run(product_.graph, options);
  ASSERT_TRUE(result) << problem();
  ASSERT_TRUE(result->deadlock);
  const std::string text = result->deadlock->describe();
  EXPECT_NE(text.find("fiberlookup B.i waits for room"), std::string::npos) << text;
}

TEST_F(SamGraph, TheCriticalPathHasNoGaps) {
  Options options;
  options.records = true;
  for (const Time latency : {1, 5}) {
    options.memory_latency = latency;
    const auto result = run(product_.graph, options);
    ASSERT_TRUE(result) << problem();
    ASSERT_FALSE(result->critical_path.empty());
    Time at = 0;
    for (const PathStep& step : result->critical_path) {
      EXPECT_EQ(step.begin, at);
      EXPECT_LT(step.begin, step.end);
      at = step.end;
    }
    EXPECT_EQ(at, result->cycles);
    EXPECT_EQ(result->critical_path.front().node, product_.rows);
    // The joiner takes a step for every coordinate of the vector: the run waits for it most of the time.
    Time joined = 0;
    for (const PathStep& step : result->critical_path)
      if (step.node == product_.joined || step.node == product_.vector) joined += step.end - step.begin;
    EXPECT_GT(joined, result->cycles / 3);
  }
}

TEST_F(SamGraph, StreamsThatDoNotAgreeAreAnError) {
  product_.graph.nodes[static_cast<std::size_t>(product_.reduced)].keeps_empty = true;
  EXPECT_FALSE(run(product_.graph, {}, matrix, sparse({5}, {{{4}, 2}})));
  EXPECT_EQ(problem(), "the graph's streams do not agree on `x`: there are 4 values for 2 coordinates");
}

TEST_F(SamGraph, AFormatThatTheGraphDoesNotExpectIsAnError) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto dense = tensor::convert(vector, tensor::dense_format(1), diagnostics);
  EXPECT_FALSE(run(product_.graph, {}, matrix, *dense));
  EXPECT_EQ(problem(), "fiberlookup c.j expects a level that is compressed, but that of `c` is dense");
}

TEST_F(SamGraph, WiresThatLeadNowhereAreErrors) {
  product_.graph.edges.back().to = 99;
  EXPECT_FALSE(run(product_.graph));
  EXPECT_EQ(problem(), "a wire of the graph ends at a block that does not exist");
}

TEST_F(SamGraph, APortThatDoesNotExistIsAnError) {
  product_.graph.edges.back().to_port = 1;
  EXPECT_FALSE(run(product_.graph));
  EXPECT_EQ(problem(), "fiberwrite x vals has no port for one of its wires");
}

TEST_F(SamGraph, CopiesNeedAWidth) {
  product_.block(Block::parallelize, "j");
  EXPECT_FALSE(run(product_.graph));
  EXPECT_EQ(problem(), "parallelize j needs a width of 1 at least");
}

TEST_F(SamGraph, AWireThatIsMissingIsAnError) {
  product_.graph.edges.pop_back();
  EXPECT_FALSE(run(product_.graph));
  EXPECT_EQ(problem(), "fiberwrite x vals has an input that nothing feeds");
}

} // namespace
} // namespace cyclotron::sam
