// SPDX-License-Identifier: MIT
// Times of small programs on a cluster, worked out by hand: every step takes a second.
#include "pe/cluster_time.hpp"
#include "unit/pe/traced.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cyclotron::pe {
namespace {

ClusterTime time_of(const Traced& t, std::vector<int> rank_of, const ClusterModel& model) {
  int ranks = 1;
  for (int r : rank_of) ranks = std::max(ranks, r + 1);
  const Placement placement = placed(std::move(rank_of), ranks);
  return cluster_time(t.trace, placement, own(t.executable, t.trace, placement), model);
}

// 8 bytes take half a second, and arrive half a second later.
constexpr Link slow{0.5, 16};
constexpr Link free_of_cost{};

ClusterModel model_of(Link within, Link between = free_of_cost, int ranks_per_node = 0) {
  return {[](const StepKind&) { return 1.0; }, within, between, 0, ranks_per_node};
}

TEST(ClusterTime, AChain) {
  const Traced t(chain("[i]_x + 1.0"));
  const ClusterTime apart = time_of(t, {0, 1, 2, 0}, model_of(slow));
  EXPECT_DOUBLE_EQ(apart.seconds, 5); // three steps, two messages
  EXPECT_DOUBLE_EQ(apart.critical_path, 3);
  EXPECT_EQ(apart.messages, 2U);
  EXPECT_EQ(apart.bytes, 16U);
  ASSERT_EQ(apart.ranks.size(), 3U);
  EXPECT_DOUBLE_EQ(apart.ranks[0].end, 1);
  EXPECT_DOUBLE_EQ(apart.ranks[1].end, 3);
  EXPECT_DOUBLE_EQ(apart.ranks[2].end, 5);
  for (const RankTime& r : apart.ranks) EXPECT_DOUBLE_EQ(r.computing, 1);
  const ClusterTime together = time_of(t, {0, 0, 0, 0}, model_of(slow));
  EXPECT_DOUBLE_EQ(together.seconds, 3);
  EXPECT_EQ(together.messages, 0U);
  EXPECT_DOUBLE_EQ(time_of(t, {0, 1, 2, 0}, model_of(free_of_cost)).seconds, 3);
  EXPECT_DOUBLE_EQ(time_of(t, {0, 1, 2, 0}, model_of({0.5, 0})).seconds, 4); // any number of bytes at once
}

TEST(ClusterTime, GivingAndTakingCosts) {
  ClusterModel model = model_of(slow);
  model.message_seconds = 0.25;
  const ClusterTime time = time_of(Traced(chain("[i]_x + 1.0")), {0, 1, 2, 0}, model);
  EXPECT_DOUBLE_EQ(time.seconds, 3 * 1.5 + 2); // each takes one value and gives one
  EXPECT_DOUBLE_EQ(time.ranks[1].computing, 1.5);
}

TEST(ClusterTime, Nodes) {
  const ClusterModel model = model_of(free_of_cost, slow, 2);
  EXPECT_DOUBLE_EQ(time_of(Traced(chain("[i]_x + 1.0")), {0, 1, 2, 0}, model).seconds, 4);
  EXPECT_DOUBLE_EQ(time_of(Traced(chain("[i]_x + 1.0")), {0, 2, 1, 0}, model).seconds, 5);
}

// What is passed on as it came does not wait for who passes it on.
TEST(ClusterTime, RelaysTakeNoTime) {
  const ClusterTime time = time_of(Traced(chain("")), {0, 1, 2, 0}, model_of(slow));
  EXPECT_DOUBLE_EQ(time.seconds, 1);
  EXPECT_DOUBLE_EQ(time.critical_path, 1);
  EXPECT_EQ(time.messages, 0U);
}

// The PE in the middle computes what both neighbours need.
std::string fork() {
  const std::string use = "    [i]_x <- [i]_x + 1.0\n";
  return sealed("program \"fork\"\naxis i = 0 .. 2\ntensor a(1): f64 input\ntensor c(3): f64 output\nregister x: f64\n"
                "channel left: f64 [i]_x -> [i-1]_x\nchannel right: f64 [i]_x -> [i+1]_x\n"
                "role low at i == 0\n  step s(i)\n    [i]_x <- [i+1]_x\n" +
                use + "    c(i) <- [i]_x\n" + "role middle at i == 1\n  step s(i)\n    [i]_x <- a(0)  load\n" + use +
                "    [i]_x -> [i-1]_x\n    [i]_x -> [i+1]_x\n" +
                "role high at i == 2\n  step s(i)\n    [i]_x <- [i-1]_x\n" + use + "    c(i) <- [i]_x\n");
}

TEST(ClusterTime, AForkSendsOneAfterTheOther) {
  const ClusterTime time = time_of(Traced(fork()), {0, 1, 2, 0}, model_of(slow));
  EXPECT_DOUBLE_EQ(time.ranks[1].end, 1);
  EXPECT_DOUBLE_EQ(time.ranks[0].end, 3);   // 1 + 0.5 + 0.5 + 1
  EXPECT_DOUBLE_EQ(time.ranks[2].end, 3.5); // the link was busy for half a second
  EXPECT_DOUBLE_EQ(time.seconds, 3.5);
  EXPECT_DOUBLE_EQ(time.critical_path, 2);
  EXPECT_EQ(time.messages, 2U);
  // To one rank it goes once.
  EXPECT_EQ(time_of(Traced(fork()), {1, 0, 1, 0}, model_of(slow)).messages, 1U);
  EXPECT_DOUBLE_EQ(time_of(Traced(fork()), {1, 0, 1, 0}, model_of(slow)).seconds, 4);
}

// The first PE of the rank has nobody behind it, the second one has.
TEST(ClusterTime, WhatOthersWaitForIsDoneFirst) {
  const std::string use = "    [i]_x <- [i]_x + 1.0\n";
  const Traced t(sealed("program \"p\"\naxis i = 0 .. 2\ntensor a(3): f64 input\ntensor c(3): f64 output\n"
                        "register x: f64\nchannel on: f64 [i]_x -> [i+1]_x\n"
                        "role alone at i == 0\n  step s(i)\n    [i]_x <- a(i)  load\n" +
                        use + "    c(i) <- [i]_x\n" + "role giver at i == 1\n  step s(i)\n    [i]_x <- a(i)  load\n" +
                        use + "    [i]_x -> [i+1]_x\n" + "role taker at i == 2\n  step s(i)\n    [i]_x <- [i-1]_x\n" +
                        use + "    c(i) <- [i]_x\n"));
  EXPECT_EQ(t.levels(0), std::vector<double>{1});
  EXPECT_EQ(t.levels(1), std::vector<double>{2});
  EXPECT_DOUBLE_EQ(time_of(t, {0, 0, 1, 0}, model_of(free_of_cost)).seconds, 2);
}

} // namespace
} // namespace cyclotron::pe
