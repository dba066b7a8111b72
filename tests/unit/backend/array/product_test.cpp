// SPDX-License-Identifier: MIT
// Matrix products: values, and cycles against their closed forms.
#include "products.hpp"
#include "run.hpp"

#include <gtest/gtest.h>

namespace cyclotron::array {
namespace {

using namespace pe;
using namespace pe::write;

Inputs matrices(const ProductSize& s) {
  return {{"A", random_tensor({s.m, s.k}, 1)}, {"B", random_tensor({s.k, s.n}, 2)}};
}

TEST(OutputStationary, TakesAsLongAsTheClosedForm) {
  for (const GridSize g : {GridSize{1, 1}, {1, 3}, {4, 4}, {3, 5}})
    for (const ProductSize s : {ProductSize{1, 1, 1}, {4, 4, 4}, {3, 7, 5}, {6, 2, 10}, {7, 3, 11}, {2, 5, 13}}) {
      const Inputs inputs = matrices(s);
      const Result r = run(output_stationary(s, g), inputs);
      const std::int64_t passes = rounds(s.m, g.rows) * rounds(s.n, g.columns);
      EXPECT_EQ(r.statistics.cycles, (g.rows + g.columns + s.k - 2) * passes)
          << g.rows << "x" << g.columns << " " << s.m << " " << s.k << " " << s.n;
      EXPECT_EQ(numbers(r.outputs.at("C")), product(inputs.at("A"), inputs.at("B")));
    }
}

TEST(WeightStationary, TakesAsLongAsTheClosedForm) {
  for (const GridSize g : {GridSize{1, 1}, {1, 3}, {4, 4}, {3, 5}})
    for (const std::int64_t m : {1, 4, 7})
      for (const std::int64_t blocks : {1, 2, 3}) {
        const ProductSize s{m, g.rows * blocks, g.columns * 2};
        const Inputs inputs = matrices(s);
        const Result r = run(weight_stationary(s, g), inputs);
        EXPECT_EQ(r.statistics.cycles, (2 * g.rows + g.columns + m - 2) * blocks * 2);
        EXPECT_EQ(numbers(r.outputs.at("C")), product(inputs.at("A"), inputs.at("B")));
      }
}

TEST(Product, OfFourOnFourByFour) {
  const ProductSize s{4, 4, 4};
  EXPECT_EQ(run(output_stationary(s, {4, 4}), matrices(s)).statistics.cycles, 10);
  EXPECT_EQ(run(weight_stationary(s, {4, 4}), matrices(s)).statistics.cycles, 14);
}

TEST(Product, CountsWhatEveryPeDoes) {
  const ProductSize s{2, 3, 2};
  const Statistics t = run(output_stationary(s, {2, 2}), matrices(s), {}, {.records = true}).statistics;
  EXPECT_EQ(t.cycles, 5);
  ASSERT_EQ(t.pes.size(), 4U);
  for (std::size_t p = 0; p < 4; ++p) {
    const std::int64_t i = static_cast<std::int64_t>(p) / 2, j = static_cast<std::int64_t>(p) % 2;
    const PeStatistics& pe = t.pes[p];
    EXPECT_EQ(pe.at, (std::vector<std::int64_t>{i, j}));
    EXPECT_EQ(pe.computing, 3);
    EXPECT_EQ(pe.receiving, 0); // what comes before the first step is idle
    EXPECT_EQ(pe.sending, 0);
    EXPECT_EQ(pe.begin, i + j);
    EXPECT_EQ(pe.end, i + j + 3);
    EXPECT_EQ(pe.steps, 3U);
    EXPECT_EQ(pe.loads, 3U * ((i == 0) + (j == 0)));
    EXPECT_EQ(pe.stores, 1U);
    EXPECT_EQ(pe.received, 3U * ((i == 1) + (j == 1)));
    EXPECT_EQ(pe.sent, 3U * ((i == 0) + (j == 0)));
    EXPECT_EQ(pe.memory_bytes, 24U);
    ASSERT_EQ(pe.intervals.size(), 1U);
    EXPECT_EQ(pe.intervals[0].begin, pe.begin);
    EXPECT_EQ(pe.intervals[0].end, pe.end);
    ASSERT_EQ(pe.step_records.size(), 3U);
    EXPECT_EQ(pe.step_records[2].begin, i + j + 2);
    EXPECT_EQ(t.spaces[static_cast<std::size_t>(pe.step_records[2].space)], "C");
  }
  EXPECT_EQ(t.active, (std::vector<std::uint64_t>{1, 3, 4, 3, 1}));
  EXPECT_EQ(t.utilisation(), 12.0 / 20);
  EXPECT_EQ(t.channel_operations, 24U);
  ASSERT_EQ(t.links.size(), 4U);
  for (const LinkStatistics& l : t.links) {
    EXPECT_EQ(l.messages, 3U);
    EXPECT_EQ(l.bytes, 24U);
    EXPECT_EQ(l.most_waiting, 1U);
  }
}

TEST(Product, DoesNotDependOnTheOrderOfResuming) {
  const ProductSize s{7, 5, 6};
  const Inputs inputs = matrices(s);
  for (const std::size_t depth : {0U, 1U, 3U})
    for (const Time latency : {1, 4}) {
      const Machine machine{.link_latency = latency, .fifo_depth = depth};
      const Result expected = run(output_stationary(s, {3, 4}), inputs, machine);
      for (std::uint64_t shuffle = 1; shuffle <= 10; ++shuffle) {
        const Result found = run(output_stationary(s, {3, 4}), inputs, machine, {.shuffle = shuffle});
        EXPECT_EQ(found.outputs, expected.outputs);
        EXPECT_EQ(found.statistics.cycles, expected.statistics.cycles);
        EXPECT_EQ(found.statistics.active, expected.statistics.active);
        for (std::size_t p = 0; p < 12; ++p) {
          EXPECT_EQ(found.statistics.pes[p].receiving, expected.statistics.pes[p].receiving);
          EXPECT_EQ(found.statistics.pes[p].sending, expected.statistics.pes[p].sending);
        }
        for (std::size_t l = 0; l < expected.statistics.links.size(); ++l)
          EXPECT_EQ(found.statistics.links[l].most_waiting, expected.statistics.links[l].most_waiting);
      }
    }
}

// With unbounded FIFOs a latency only delays: every hop takes so many cycles.
TEST(Product, WaitsForSlowLinks) {
  for (const Time latency : {1, 2, 5}) {
    const ProductSize s{3, 4, 5};
    Program p = output_stationary(s, {3, 5});
    const Statistics t = run(p, matrices(s), {.link_latency = latency}).statistics;
    EXPECT_EQ(t.cycles, std::max<Time>(2 * latency + 4 * latency + 4, 3 + 5 + 4 - 2));
    EXPECT_EQ(t.links[0].most_waiting, static_cast<std::uint64_t>(std::min<Time>(latency, 4)));
  }
}

// In each cycle all of a row and of a column come by wire.
TEST(Product, ByBroadcast) {
  const ProductSize s{3, 5, 4};
  Program p = product_program(s, {3, 4}, "i");
  const std::vector<Action> first{
      load("A", "A", {at("i"), at("k")}, Supply::broadcast), load("B", "B", {at("k"), at("j")}, Supply::broadcast),
      compute("C", add(get("C"), mul(get("A"), get("B")))), store("C", {at("i"), at("j")}, "C")};
  const Coordinates coordinates{{"i", var("i")}, {"j", var("j")}, {"k", var("k")}};
  p.roles = {{"all", {{}}, {loop("k", whole(0), whole(4), {step("C", coordinates, first)})}}};
  const Inputs inputs = matrices(s);
  const Result r = run(p, inputs);
  EXPECT_EQ(r.statistics.cycles, 5);
  EXPECT_EQ(numbers(r.outputs.at("C")), product(inputs.at("A"), inputs.at("B")));
  EXPECT_EQ(run(p, inputs, {.broadcast_latency = 3}).statistics.cycles, 8);
  EXPECT_EQ(refusal(p, inputs, {.broadcast_network = false}),
            "error: PE (0,0) gets `A` by broadcast, but the machine has no broadcast network\n"
            "hint: stream it from PE to PE instead, or simulate a machine that has one\n");
}

// Cannon's product: blocks are skewed first, then A goes round to the west and B to the north.
Program cannon(std::int64_t n) {
  Program p = product_program({n, n, n}, {n, n}, "i");
  p.torus = {true, true};
  p.channels = {{"A", "A", {0, -1}, ValueType::f64, {}}, {"B", "B", {-1, 0}, ValueType::f64, {}}};
  const Index depth = mod(plus(var("i"), plus(var("j"), var("t"))), n);
  const auto one_step = [&](bool first, bool last) {
    std::vector<Action> actions;
    if (!first) actions = {receive("A", 0), receive("B", 1)};
    if (!last) actions.insert(actions.end(), {send("A", 0), send("B", 1)});
    actions.push_back(compute("C", add(get("C"), mul(get("A"), get("B")))));
    if (last) actions.push_back(store("C", {at("i"), at("j")}, "C"));
    return step("C", {{"i", var("i")}, {"j", var("j")}, {"k", depth}}, actions);
  };
  const auto skew =
      step("skew", {{"i", var("i")}, {"j", var("j")}, {"k", depth}},
           {load("A", "A", {at("i"), at("k")}, Supply::direct), load("B", "B", {at("k"), at("j")}, Supply::direct)});
  std::vector<Statement> body{loop("t", whole(0), whole(0), {skew, one_step(true, n == 1)}),
                              loop("t", whole(1), whole(n - 2), {one_step(false, false)})};
  if (n > 1) body.push_back(loop("t", whole(n - 1), whole(n - 1), {one_step(false, true)}));
  p.roles = {{"all", {{}}, body}};
  return p;
}

TEST(Cannon, GoesRoundTheTorus) {
  for (const std::int64_t n : {1, 2, 3, 5, 8}) {
    const Inputs inputs = matrices({n, n, n});
    const Result r = run(cannon(n), inputs);
    EXPECT_EQ(r.statistics.cycles, n); // the skew is free
    EXPECT_EQ(numbers(r.outputs.at("C")), product(inputs.at("A"), inputs.at("B")));
    EXPECT_EQ(run(cannon(n), inputs, {.link_latency = 3}).statistics.cycles, 3 * (n - 1) + 1);
  }
}

} // namespace
} // namespace cyclotron::array
