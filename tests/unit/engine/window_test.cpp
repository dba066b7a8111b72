// SPDX-License-Identifier: MIT
// Windows: how far a sender runs ahead in our memory changes nothing that is simulated.
#include "engine/channel.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cyclotron::engine {
namespace {

struct Seen {
  std::vector<Time> times;
  Time cycles = 0;
  std::uint64_t most_first = 0, most_second = 0;
  bool operator==(const Seen&) const = default;
};

constexpr int count = 100;

Body send_both(Process& self, Channel<int>& first, Channel<int>& second) {
  for (int i = 0; i < count; ++i) {
    if (!first.has_room()) co_await first.until_room();
    first.put(i);
    self.work(1);
  }
  for (int i = 0; i < count; ++i) {
    if (!second.has_room()) co_await second.until_room();
    second.put(i);
    self.work(1);
  }
}

// Takes the second channel first: all of the first must fit, whatever its window.
Body receive_both(Process& self, Channel<int>& first, Channel<int>& second, Seen& seen) {
  for (Channel<int>* channel : {&second, &first})
    for (int i = 0; i < count; ++i) {
      if (channel->empty()) co_await channel->until_element();
      EXPECT_EQ(channel->take(), i);
      seen.times.push_back(self.now());
      self.work(i % 3);
    }
}

Seen run(std::size_t window, std::uint64_t shuffle, std::size_t capacity = ChannelOptions::unbounded) {
  Seen seen;
  Simulation simulation({.records = false, .shuffle = shuffle});
  Process &sender = simulation.add("sender"), &receiver = simulation.add("receiver");
  ChannelOptions options;
  options.window = window;
  options.capacity = capacity;
  auto& first = simulation.connect<int>(sender, receiver, options);
  auto& second = simulation.connect<int>(sender, receiver, options);
  simulation.start(sender, send_both(sender, first, second));
  simulation.start(receiver, receive_both(receiver, first, second, seen));
  const Outcome outcome = simulation.run();
  seen.cycles = outcome.deadlock ? -1 : outcome.cycles;
  seen.most_first = first.most_waiting();
  seen.most_second = second.most_waiting();
  return seen;
}

TEST(Window, ChangesNothingThatIsSimulated) {
  const Seen expected = run(ChannelOptions::unbounded, 0);
  EXPECT_EQ(expected.most_first, 100U);
  for (const std::size_t window : {1, 2, 7, 64, 1000})
    for (const std::uint64_t shuffle : {0, 1, 2}) EXPECT_EQ(run(window, shuffle), expected) << window << " " << shuffle;
}

TEST(Window, DoesNotHideADeadlock) {
  EXPECT_EQ(run(1, 0, 100).cycles, run(ChannelOptions::unbounded, 0).cycles);
  EXPECT_EQ(run(1, 0, 99).cycles, -1);
  EXPECT_EQ(run(200, 0, 99).cycles, -1);
}

} // namespace
} // namespace cyclotron::engine
