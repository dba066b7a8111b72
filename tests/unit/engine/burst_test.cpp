// SPDX-License-Identifier: MIT
// Many elements at one go: the same times and counts as one by one, whatever the channels.
#include "engine/burst.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace cyclotron::engine {
namespace {

constexpr int count = 200;

// Some cycles, not the same for all elements.
Time cycles_for(int element, int salt) { return (element * 7 + salt) % 5 == 0 ? 4 : (element + salt) % 3; }

struct Seen {
  std::vector<Time> first_times, second_times;
  Time cycles = 0;
  std::vector<Time> spent;
  std::vector<std::uint64_t> most;
  std::size_t intervals = 0;
  bool operator==(const Seen&) const = default;

  friend std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    out << seen.cycles << " cycles, " << seen.intervals << " intervals; spent";
    for (const Time t : seen.spent) out << ' ' << t;
    out << "; at most";
    for (const std::uint64_t m : seen.most) out << ' ' << m;
    return out;
  }
};

using Channels = std::vector<Channel<int>*>;

Body send_one_by_one(Process& self, const Channels& to) {
  for (int i = 0; i < count; ++i) {
    for (Channel<int>* c : to)
      while (!c->has_room()) co_await c->until_room();
    for (Channel<int>* c : to) c->put(i);
    self.work(cycles_for(i, 1));
  }
}

// From element `next` on; the channel without room, if any.
Channel<int>* send_some(Process& self, const Channels& to, int& next) {
  Clock clock(self);
  Putting<int> putting(to);
  for (; next < count; ++next) {
    if (!putting.has_room()) {
      for (Channel<int>* c : to)
        if (!c->has_room()) return c;
      return to.front(); // it is full only of what is put in this go
    }
    putting.put(next, clock);
    clock.work(cycles_for(next, 1));
  }
  return nullptr;
}

Body send_at_one_go(Process& self, const Channels& to) {
  int next = 0;
  while (Channel<int>* full = send_some(self, to, next))
    if (!full->has_room()) co_await full->until_room();
}

Body receive_one_by_one(Process& self, Channel<int>& from, int salt, std::vector<Time>& times) {
  for (int i = 0; i < count; ++i) {
    if (from.empty()) co_await from.until_element();
    EXPECT_EQ(from.look(), i);
    EXPECT_EQ(from.take(), i);
    times.push_back(self.now());
    self.work(cycles_for(i, salt));
  }
}

void receive_some(Process& self, Channel<int>& from, int salt, std::vector<Time>& times) {
  Clock clock(self);
  Taking<int> taking(from);
  while (!taking.empty()) {
    const auto i = static_cast<int>(times.size());
    const int* later = taking.ahead(3);
    EXPECT_EQ(later ? *later : i + 3, i + 3);
    EXPECT_EQ(taking.look(clock), i);
    EXPECT_EQ(taking.take(clock), i);
    times.push_back(clock.now());
    clock.work(cycles_for(i, salt));
  }
}

Body receive_at_one_go(Process& self, Channel<int>& from, int salt, std::vector<Time>& times) {
  while (times.size() < count) {
    if (from.empty()) co_await from.until_element();
    receive_some(self, from, salt, times);
  }
}

Seen run(const ChannelOptions& options, std::uint64_t shuffle, bool records, bool sends_many, bool receives_many) {
  Seen seen;
  Simulation simulation({.records = records, .shuffle = shuffle});
  Process &sender = simulation.add("sender"), &first = simulation.add("first"), &second = simulation.add("second");
  const Channels to = {&simulation.connect<int>(sender, first, options),
                       &simulation.connect<int>(sender, second, options)};
  simulation.start(sender, sends_many ? send_at_one_go(sender, to) : send_one_by_one(sender, to));
  const auto receive = receives_many ? receive_at_one_go : receive_one_by_one;
  simulation.start(first, receive(first, *to[0], 0, seen.first_times));
  simulation.start(second, receive(second, *to[1], 2, seen.second_times));
  const Outcome outcome = simulation.run();
  EXPECT_FALSE(outcome.deadlock);
  seen.cycles = outcome.cycles;
  for (const Process* p : {&sender, &first, &second}) {
    for (const Time t : {p->computing(), p->waiting_to_receive(), p->waiting_to_send()}) seen.spent.push_back(t);
    seen.intervals += p->intervals().size();
  }
  for (const Channel<int>* c : to) seen.most.push_back(c->most_waiting());
  return seen;
}

void expect_no_difference(const ChannelOptions& options, bool records) {
  const Seen expected = run(options, 0, records, false, false);
  for (const std::uint64_t shuffle : {0, 1, 2})
    for (const bool sends_many : {false, true})
      for (const bool receives_many : {false, true})
        EXPECT_EQ(run(options, shuffle, records, sends_many, receives_many), expected) << shuffle << sends_many;
}

TEST(Burst, ChangesNothingOnUnboundedChannels) {
  for (const std::size_t window : {0, 1, 3, 64})
    for (const Time latency : {0, 1, 9})
      for (const bool records : {false, true}) {
        ChannelOptions options;
        options.window = window;
        options.latency = latency;
        expect_no_difference(options, records);
      }
}

TEST(Burst, ChangesNothingOnBoundedChannels) {
  for (const std::size_t capacity : {1, 2, 5})
    for (const Time response : {0, 1, 6})
      for (const Time interval : {0, 3}) {
        ChannelOptions options;
        options.capacity = capacity;
        options.response_latency = response;
        options.interval = interval;
        expect_no_difference(options, interval > 0);
      }
}

TEST(Burst, WaitingIsCountedWhereAskedFor) {
  ChannelOptions options;
  EXPECT_GT(run(options, 0, false, true, true).most[1], 1U);
  const Seen counted = run(options, 0, false, true, true);
  options.counts_waiting = false;
  Seen uncounted = run(options, 0, false, true, true);
  EXPECT_EQ(uncounted.most, (std::vector<std::uint64_t>{0, 0}));
  uncounted.most = counted.most;
  EXPECT_EQ(uncounted, counted);
}

} // namespace
} // namespace cyclotron::engine
