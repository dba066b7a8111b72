// SPDX-License-Identifier: MIT
// What the machine does to a run: room in FIFOs, bandwidth, memory ports, passes, and standing still.
#include "products.hpp"
#include "run.hpp"

#include <gtest/gtest.h>

namespace cyclotron::array {
namespace {

using namespace pe;
using namespace pe::write;

Program line(std::int64_t pes, int channels) {
  Program p;
  p.name = "line";
  p.axes = {{"i", 0, pes - 1}};
  p.torus = {false};
  p.tensors = {memory("x", {16}), memory("y", {16}, true)};
  p.registers = {{"v", ValueType::f64, {}, {}}, {"w", ValueType::f64, {}, {}}};
  for (int c = 0; c < channels; ++c) p.channels.push_back({"v" + std::to_string(c), "v", {1}, ValueType::f64, {}});
  return p;
}

Tests is(std::int64_t i) { return {equal(var("i"), whole(i))}; }
const Coordinates at_t{{"t", var("t")}};
Inputs sixteen() { return {{"x", random_tensor({16}, 3)}}; }

// PE 0 sends an element a cycle; PE 1 does a second step with each.
Program fast_to_slow() {
  Program p = line(2, 1);
  p.roles = {
      {"from", {is(0)}, {loop("t", whole(0), whole(9), {step("x", at_t, {load("v", "x", {at("t")}), send("v", 0)})})}},
      {"to",
       {is(1)},
       {loop("t", whole(0), whole(9),
             {step("y", at_t, {receive("v", 0), store("y", {at("t")}, "v")}),
              step("w", at_t, {compute("w", get("v"))})})}}};
  return p;
}

TEST(Fifo, HoldsBackTheSenderWhereItIsFull) {
  const Statistics free = run(fast_to_slow(), sixteen()).statistics;
  EXPECT_EQ(free.cycles, 1 + 2 * 10);
  EXPECT_EQ(free.pes[0].sending, 0);
  EXPECT_EQ(free.pes[0].end, 10);
  // Element t is sent in cycle t and received in 1 + 2 t: in cycle 9 the first four have gone, just before cycle 11.
  EXPECT_EQ(free.links[0].most_waiting, 5U);
  const Statistics bounded = run(fast_to_slow(), sixteen(), {.fifo_depth = 2}).statistics;
  EXPECT_EQ(bounded.cycles, 1 + 2 * 10);
  // Element t >= 2 is sent when the room of t - 2 is free again: in 1 + 2 (t - 2) + 1, at the earliest.
  EXPECT_EQ(bounded.pes[0].end, 2 * 9 - 2 + 1);
  EXPECT_EQ(bounded.pes[0].sending, 7);
  EXPECT_EQ(bounded.links[0].most_waiting, 2U);
}

TEST(Link, KeepsItsInterval) {
  const auto cycles = [](const Machine& m) { return run(fast_to_slow(), sixteen(), m).statistics.cycles; };
  EXPECT_EQ(cycles({.link_interval = 3}), 1 + 3 * 9 + 2);
  EXPECT_EQ(cycles({.link_bytes_per_cycle = 8}), 1 + 2 * 10);
  EXPECT_EQ(cycles({.link_bytes_per_cycle = 2}), 1 + 3 + 4 * 9 + 2); // and the first takes 4 cycles
}

TEST(Memory, HasPorts) {
  Program p = line(1, 0);
  p.roles = {{"one",
              {is(0)},
              {loop("t", whole(0), whole(7),
                    {step("y", at_t,
                          {load("v", "x", {at("t")}), load("w", "x", {at("t", 8)}),
                           compute("v", add(get("v"), get("w"))), store("y", {at("t")}, "v")})})}}};
  const auto cycles = [&](const Machine& m) { return run(p, sixteen(), m).statistics.cycles; };
  EXPECT_EQ(cycles({}), 8);
  EXPECT_EQ(cycles({.loads_per_cycle = 2}), 8);
  EXPECT_EQ(cycles({.loads_per_cycle = 1}), 16);
  EXPECT_EQ(cycles({.memory_latency = 5}), 5 + 8);
}

TEST(Memory, IsUsedInsideItsBounds) {
  Program p = line(1, 0);
  p.roles = {{"one", {is(0)}, {loop("t", whole(15), whole(16), {step("y", at_t, {load("v", "x", {at("t")})})})}}};
  EXPECT_EQ(refusal(p, sixteen()), "error: PE (0) loads `x(16)`, but `x` is a vector of f64 of size 16\n"
                                   "note: on PE (0), in cycle 1, in step y(t = 16)\n");
  EXPECT_EQ(refusal(p, {{"x", random_tensor({15}, 1)}}),
            "error: the array was made for a vector of f64 of size 16 as `x`, but it is a vector of f64 of size 15\n");
  EXPECT_EQ(refusal(p, {}), "error: the array loads `x`, but no such tensor is given\n");
}

TEST(Host, StoresBeforeTheArrayStarts) {
  Program p = line(1, 0);
  p.host = {loop("t", whole(0), whole(3),
                 {step("y", at_t, {compute("v", mul(coordinate("t"), coordinate("t"))), store("y", {at("t")}, "v")})})};
  p.roles = {{"one", {is(0)}, {step("y", {}, {load("v", "y", {at(3)}), store("y", {at(4)}, "v")})}}};
  const Result r = run(p, sixteen());
  EXPECT_EQ(r.statistics.cycles, 1);
  EXPECT_EQ(numbers(r.outputs.at("y")), (std::vector<double>{0, 1, 4, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

// PE 0 takes part in passes 0 and 2, PE 1 in 1 and 2.
TEST(Pass, BeginsTogetherAndMayBeLeftOut) {
  Program p = line(2, 0);
  const auto work = [](std::int64_t cycles) {
    return loop("t", whole(1), whole(cycles), {step("w", at_t, {compute("w", number(1))})});
  };
  p.roles = {{"first", {is(0)}, {pass({whole(0)}, 0), work(3), pass({whole(2)}, 0), work(1)}},
             {"second", {is(1)}, {pass({whole(1)}, 7), work(2), pass({whole(2)}, 4), work(1)}}};
  const Statistics t = run(p, sixteen(), {}, {.records = true}).statistics;
  // Pass 0 is 0 .. 3, pass 1 is 3 .. 10, pass 2 is 10 .. 14.
  EXPECT_EQ(t.cycles, 14);
  EXPECT_EQ(t.pes[0].computing, 4);
  EXPECT_EQ(t.pes[0].receiving, 0);
  EXPECT_EQ(t.pes[0].end, 11);
  EXPECT_EQ(t.pes[1].begin, 3);
  EXPECT_EQ(t.pes[1].step_records[2].begin, 10);
  EXPECT_EQ(t.active, (std::vector<std::uint64_t>{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0}));
}

TEST(Deadlock, IsReportedAsACircle) {
  Program p = line(3, 1);
  p.torus = {true};
  p.roles = {{"all", {{}}, {step("y", {}, {receive("v", 0)}), step("y", {}, {send("v", 0)})}}};
  EXPECT_EQ(refusal(p, sixteen()), "error: the array stands still from cycle 0 on: 3 PEs cannot go on\n"
                                   "note: PE (0) waits for an element of `v0` from PE (2)\n"
                                   "note: PE (2) waits for an element of `v0` from PE (1)\n"
                                   "note: PE (1) waits for an element of `v0` from PE (0); that closes the circle\n");
}

TEST(Deadlock, WhereAFifoIsTooShallow) {
  Program p = line(2, 2); // the sender fills one channel before the other, the receiver empties them the other way
  p.roles = {{"from",
              {is(0)},
              {loop("t", whole(0), whole(2), {step("x", at_t, {load("v", "x", {at("t")}), send("v", 0)})}),
               step("x", {}, {send("v", 1)})}},
             {"to",
              {is(1)},
              {step("y", {}, {receive("v", 1)}), loop("t", whole(0), whole(2), {step("y", at_t, {receive("v", 0)})})}}};
  EXPECT_EQ(run(p, sixteen(), {.fifo_depth = 3}).statistics.cycles, 8);
  EXPECT_EQ(refusal(p, sixteen(), {.fifo_depth = 2}),
            "error: the array stands still from cycle 2 on: 2 PEs cannot go on\n"
            "note: PE (0) waits for room in `v0` to PE (1), which is full (2 of 2)\n"
            "note: PE (1) waits for an element of `v1` from PE (0); that closes the circle\n"
            "hint: deeper FIFOs may resolve it\n");
}

TEST(Deadlock, AtABarrier) {
  Program p = line(2, 1);
  p.roles = {{"from", {is(0)}, {pass({whole(1)}, 0), step("x", {}, {send("v", 0)})}},
             {"to", {is(1)}, {step("y", {}, {receive("v", 0)}), pass({whole(1)}, 0)}}};
  EXPECT_EQ(refusal(p, sixteen()), "error: the array stands still from cycle 0 on: 2 PEs cannot go on\n"
                                   "note: PE (0) waits at a barrier for PE (1)\n"
                                   "note: PE (1) waits for an element of `v0` from PE (0); that closes the circle\n");
}

TEST(Channels, HaveTwoEnds) {
  Program p = line(2, 1);
  const Statement sends = step("x", {}, {send("v", 0)}), receives = step("y", {}, {receive("v", 0)});
  const auto with = [&](std::vector<Statement> first, std::vector<Statement> second) {
    p.roles = {{"from", {is(0)}, std::move(first)}, {"to", {is(1)}, std::move(second)}};
    return refusal(p, sixteen());
  };
  EXPECT_EQ(with({sends}, {sends}), "error: PE (0) sends into `v0`, but no PE at the other end receives from it\n"
                                    "note: on PE (0), in cycle 0, in step x\n");
  EXPECT_EQ(with({receives}, {}), "error: PE (0) receives from `v0`, but no PE at the other end sends into it\n"
                                  "note: on PE (0), in cycle 0, in step y\n");
  EXPECT_EQ(with({sends, sends}, {receives}), "error: PE (0) sends 2 elements into `v0`, but PE (1) receives only 1\n");
  EXPECT_EQ(with({sends}, {receives, receives}),
            "error: PE (1) expects one more element of `v0`, but PE (0) has ended after 1\n");
}

TEST(Activity, OfALongRunIsCountedInBins) {
  Program p = line(2, 0);
  p.roles = {{"all", {{}}, {loop("t", whole(1), whole(20001), {step("w", at_t, {compute("w", number(1))})})}}};
  const Statistics t = run(p, sixteen()).statistics;
  EXPECT_EQ(t.cycles, 20001);
  EXPECT_EQ(t.cycles_per_bin, 4);
  ASSERT_EQ(t.active.size(), 5001U);
  EXPECT_EQ(t.active[0], 8U);
  EXPECT_EQ(t.active[4999], 8U);
  EXPECT_EQ(t.active[5000], 2U);
}

} // namespace
} // namespace cyclotron::array
