// SPDX-License-Identifier: MIT
#include "engine/channel.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

namespace cyclotron::engine {
namespace {

Body produce(Process& self, Channel<int>& out, int count) {
  for (int i = 0; i < count; ++i) {
    co_await out.send(i);
    self.work(1);
  }
}

Body consume(Process& self, Channel<int>& in, int count, std::vector<Time>& when) {
  for (int i = 0; i < count; ++i) {
    const int value = co_await in.receive();
    EXPECT_EQ(value, i);
    when.push_back(self.now());
    self.work(1);
  }
}

std::vector<Time> arrivals(const ChannelOptions& options, int count) {
  Simulation simulation;
  Process& from = simulation.add("from");
  Process& to = simulation.add("to");
  auto& channel = simulation.connect<int>(from, to, options, "numbers");
  std::vector<Time> when;
  simulation.start(to, consume(to, channel, count, when));
  simulation.start(from, produce(from, channel, count));
  EXPECT_FALSE(simulation.run().deadlock);
  EXPECT_EQ(channel.sent(), static_cast<std::uint64_t>(count));
  return when;
}

TEST(Channel, AddsItsLatency) {
  EXPECT_EQ(arrivals({}, 3), (std::vector<Time>{1, 2, 3}));
  EXPECT_EQ(arrivals({.latency = 5}, 3), (std::vector<Time>{5, 6, 7}));
  EXPECT_TRUE(arrivals({}, 0).empty());
}

// A channel with room for c elements passes c of them in the time that one and the answer to it need.
TEST(Channel, IsAsFastAsItsRoomAllows) {
  for (std::size_t capacity = 1; capacity <= 9; ++capacity)
    for (Time latency = 1; latency <= 3; ++latency)
      for (Time response = 1; response <= 3; ++response) {
        const int rounds = 20, count = rounds * static_cast<int>(capacity) + 1;
        const auto when = arrivals({.capacity = capacity, .latency = latency, .response_latency = response}, count);
        const Time period = std::max<Time>(static_cast<Time>(capacity), latency + response);
        EXPECT_EQ(when.back() - when.front(), rounds * period) << capacity << " " << latency << " " << response;
      }
}

TEST(Channel, KeepsAnIntervalBetweenElements) {
  EXPECT_EQ(arrivals({.interval = 3}, 4), (std::vector<Time>{1, 4, 7, 10}));
  EXPECT_EQ(arrivals({.interval = 1}, 4), (std::vector<Time>{1, 2, 3, 4}));
}

TEST(Channel, GrowsWhereItHasNoBound) {
  Simulation simulation;
  Process& self = simulation.add("alone");
  auto& channel = simulation.connect<int>(self, self, {});
  int sum = 0;
  const auto body = [](Channel<int>& c, int& total) -> Body {
    for (int i = 0; i < 1000; ++i) co_await c.send(i);
    for (int i = 0; i < 1000; ++i) total += co_await c.receive();
  };
  simulation.start(self, body(channel, sum));
  EXPECT_FALSE(simulation.run().deadlock);
  EXPECT_EQ(sum, 999 * 1000 / 2);
}

TEST(Channel, EndsWithItsSender) {
  Simulation simulation;
  Process& from = simulation.add("from");
  Process& to = simulation.add("to");
  auto& channel = simulation.connect<int>(from, to, {.capacity = 2});
  int count = 0, seen = 0;
  const auto body = [](Channel<int>& in, int& received, int& looked_at) -> Body {
    while (const int* next = co_await in.front()) {
      looked_at += *next;
      EXPECT_TRUE((co_await in.receive_or_end()).has_value());
      ++received;
    }
    EXPECT_FALSE((co_await in.receive_or_end()).has_value());
  };
  simulation.start(to, body(channel, count, seen));
  simulation.start(from, produce(from, channel, 7));
  EXPECT_FALSE(simulation.run().deadlock);
  EXPECT_EQ(count, 7);
  EXPECT_EQ(seen, 21);
}

TEST(Simulation, SaysWhoExpectsMoreThanThereIs) {
  Simulation simulation;
  Process& from = simulation.add("from");
  Process& to = simulation.add("to");
  auto& channel = simulation.connect<int>(from, to, {}, "numbers");
  std::vector<Time> when;
  simulation.start(to, consume(to, channel, 4, when));
  simulation.start(from, produce(from, channel, 3));
  try {
    simulation.run();
    FAIL() << "nothing was said";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "to expects one more element of `numbers`, but from has ended after 3");
  }
}

TEST(Simulation, PassesExceptionsOn) {
  Simulation simulation;
  Process& self = simulation.add("alone");
  const auto body = []() -> Body {
    throw std::domain_error("no");
    co_return;
  };
  simulation.start(self, body());
  EXPECT_THROW(simulation.run(), std::domain_error);
}

Body swap_first(Channel<int>& in, Channel<int>& out, bool sends_first) {
  if (sends_first) co_await out.send(1);
  co_await in.receive();
  if (!sends_first) co_await out.send(1);
}

TEST(Deadlock, IsACircle) {
  Simulation simulation;
  std::vector<Process*> ring;
  std::vector<Channel<int>*> channels;
  for (int i = 0; i < 3; ++i) ring.push_back(&simulation.add(fmt::format("P{}", i)));
  for (int i = 0; i < 3; ++i)
    channels.push_back(&simulation.connect<int>(*ring[i], *ring[(i + 1) % 3], {.capacity = 1}, fmt::format("c{}", i)));
  for (int i = 0; i < 3; ++i) simulation.start(*ring[i], swap_first(*channels[(i + 2) % 3], *channels[i], false));
  const Outcome outcome = simulation.run();
  ASSERT_TRUE(outcome.deadlock);
  EXPECT_TRUE(outcome.deadlock->circle);
  EXPECT_EQ(outcome.deadlock->stuck, 3U);
  EXPECT_EQ(outcome.deadlock->describe(), "3 processes cannot go on:\n"
                                          "  P0 waits for an element of `c2` from P2\n"
                                          "  P2 waits for an element of `c1` from P1\n"
                                          "  P1 waits for an element of `c0` from P0; that closes the circle");
}

TEST(Deadlock, AtAProcessThatHasEnded) {
  Simulation simulation;
  Process& from = simulation.add("from");
  Process& to = simulation.add("to");
  auto& channel = simulation.connect<int>(from, to, {.capacity = 2}, "numbers");
  std::vector<Time> when;
  simulation.start(to, consume(to, channel, 1, when));
  simulation.start(from, produce(from, channel, 5));
  const Outcome outcome = simulation.run();
  ASSERT_TRUE(outcome.deadlock);
  EXPECT_EQ(outcome.deadlock->describe(),
            "1 process cannot go on:\n"
            "  from waits for room in `numbers` to to, which is full (2 of 2); to has ended");
}

// --- an output-stationary array ---

Body cell(Process& self, Channel<double>& west, Channel<double>& north, Channel<double>* east, Channel<double>* south,
          int count, double& sum) {
  for (int k = 0; k < count; ++k) {
    const double a = co_await west.receive(), b = co_await north.receive();
    sum += a * b;
    if (east) co_await east->send(a);
    if (south) co_await south->send(b);
    self.work(1);
  }
}

Body feed(Process& self, Channel<double>& out, std::vector<double> values) {
  for (double v : values) {
    co_await out.send(v);
    self.work(1);
  }
}

struct Product {
  Time cycles;
  std::vector<double> values;
  std::vector<Time> computing, waiting;
};

// Feeders stand one cycle before the array, so that its first product is made in cycle 1.
Product product(int rows, int columns, int depth, std::size_t capacity, std::uint64_t shuffle) {
  Simulation simulation({.records = true, .shuffle = shuffle});
  Product result;
  result.values.assign(static_cast<std::size_t>(rows * columns), 0);
  std::vector<Process*> cells;
  for (int i = 0; i < rows * columns; ++i) cells.push_back(&simulation.add(fmt::format("cell {}", i)));
  const ChannelOptions link{.capacity = capacity};
  std::vector<Channel<double>*> west(cells.size()), north(cells.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const auto at = static_cast<std::size_t>(i * columns + j);
      const auto from = [&](bool first, std::size_t before, double scale, int line) -> Channel<double>& {
        if (!first) return simulation.connect<double>(*cells[before], *cells[at], link);
        Process& feeder = simulation.add("feeder");
        auto& made = simulation.connect<double>(feeder, *cells[at], link);
        std::vector<double> values;
        for (int k = 0; k < depth; ++k) values.push_back(scale * (line + 1) + k);
        simulation.start(feeder, feed(feeder, made, values));
        return made;
      };
      west[at] = &from(j == 0, at - 1, 1, i);
      north[at] = &from(i == 0, at - static_cast<std::size_t>(columns), 10, j);
    }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const auto at = static_cast<std::size_t>(i * columns + j);
      simulation.start(*cells[at], cell(*cells[at], *west[at], *north[at], j + 1 < columns ? west[at + 1] : nullptr,
                                        i + 1 < rows ? north[at + static_cast<std::size_t>(columns)] : nullptr, depth,
                                        result.values[at]));
    }
  const Outcome outcome = simulation.run();
  EXPECT_FALSE(outcome.deadlock);
  result.cycles = outcome.cycles;
  for (const Process* p : cells) {
    result.computing.push_back(p->computing());
    result.waiting.push_back(p->waiting_to_receive() + p->waiting_to_send());
    Time covered = 0;
    for (const Interval& interval : p->intervals()) {
      EXPECT_EQ(interval.begin, covered);
      covered = interval.end;
    }
    EXPECT_EQ(covered, p->now());
  }
  return result;
}

TEST(Array, TakesAsLongAsTheClosedForm) {
  for (int rows : {1, 2, 3, 5})
    for (int columns : {1, 3, 4})
      for (int depth : {1, 4, 7}) {
        const Product found = product(rows, columns, depth, 4, 0);
        EXPECT_EQ(found.cycles, rows + columns + depth - 2 + 1); // and the cycle before the first
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) {
            double expected = 0;
            for (int k = 0; k < depth; ++k) expected += (i + 1 + k) * (10.0 * (j + 1) + k);
            EXPECT_EQ(found.values[static_cast<std::size_t>(i * columns + j)], expected);
          }
        EXPECT_TRUE(std::all_of(found.computing.begin(), found.computing.end(), [&](Time t) { return t == depth; }));
      }
}

// Times travel with the elements, so the order in which processes are resumed changes nothing.
TEST(Array, DoesNotDependOnTheOrderOfResuming) {
  for (std::size_t capacity : {1U, 2U, 5U}) {
    const Product expected = product(4, 5, 9, capacity, 0);
    for (std::uint64_t shuffle = 1; shuffle <= 20; ++shuffle) {
      const Product found = product(4, 5, 9, capacity, shuffle);
      EXPECT_EQ(found.cycles, expected.cycles);
      EXPECT_EQ(found.values, expected.values);
      EXPECT_EQ(found.computing, expected.computing);
      EXPECT_EQ(found.waiting, expected.waiting);
    }
  }
}

} // namespace
} // namespace cyclotron::engine
