// SPDX-License-Identifier: MIT
// A finite memory in front of a scanner. A fiber is read into it as a whole, with everything below it; its reference
// passes when all of it is there. One fiber is read at a time, in the order in which they are asked for, as far ahead
// of their use as there is room; one that is still there is not read again. Those that nobody uses any more make room,
// the one first that has not been used for the longest time.
//
// Which fibers are in use follows from the innermost level's stream: a stop that closes so many levels ends one.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

#include <deque>
#include <list>
#include <optional>
#include <unordered_map>

namespace cyclotron::sam {
namespace {

constexpr std::int64_t nothing = -1; // `N`: no fiber

// What lies in the memory.
class Contents {
public:
  explicit Contents(std::int64_t room) : room_(room) {}

  std::int64_t used() const { return taken_; }
  bool has(std::int64_t fiber) const { return fibers_.count(fiber) > 0; }
  bool has_room(std::int64_t bytes) const { return taken_ + bytes <= room_; }

  void add(std::int64_t fiber, std::int64_t bytes) {
    fibers_[fiber] = {bytes, 0, {}};
    taken_ += bytes;
  }
  void use(std::int64_t fiber) {
    Fiber& f = fibers_.at(fiber);
    if (f.users++ == 0 && f.waits) unused_.erase(*f.waits);
    f.waits.reset();
  }
  void release(std::int64_t fiber) {
    if (fiber == nothing) return;
    Fiber& f = fibers_.at(fiber);
    if (--f.users == 0) f.waits = unused_.insert(unused_.end(), fiber);
  }
  // Whether there was one that nobody uses.
  bool forget_one() {
    if (unused_.empty()) return false;
    const auto found = fibers_.find(unused_.front());
    taken_ -= found->second.bytes;
    fibers_.erase(found);
    unused_.pop_front();
    return true;
  }

private:
  struct Fiber {
    std::int64_t bytes = 0;
    int users = 0;
    std::optional<std::list<std::int64_t>::iterator> waits; // among those that nobody uses
  };

  std::int64_t room_, taken_ = 0;
  std::unordered_map<std::int64_t, Fiber> fibers_;
  std::list<std::int64_t> unused_; // for the longest time first
};

// The next fiber must fit beside the one in use, which ends only when it is known what follows.
[[noreturn]] void refuse(const Unit& unit, const Buffer& memory, std::int64_t next, std::int64_t in_use) {
  const std::string beside = in_use > 0 ? fmt::format(" beside the one in use, of {}", in_use) : "";
  fail(unit,
       fmt::format("has no room for a fiber of {} bytes{}: give it {} bytes instead of {}, or make its tiles smaller",
                   next, beside, next + in_use, memory.bytes));
}

} // namespace

Body buffer(Unit& unit, Buffer memory, BufferCounts& counts) {
  Input &in = unit.input(0), &used = unit.input(1);
  Output& out = unit.out[0];
  Contents contents(memory.bytes);
  std::deque<std::int64_t> in_use; // that have passed, in order
  bool last_is_open = false;       // the last one cannot end before the next token has passed
  Time free = 0;                   // the way to it
  for (;;) {
    if (in.empty()) co_await in.until_element();
    Time begin = in.arrival(); // of reading it, at the earliest
    const Token token = in.take();
    if (token.is_data()) {
      const std::int64_t fiber = token.payload.whole;
      if (fiber < 0 || fiber >= static_cast<std::int64_t>(memory.fibers.size()))
        fail(unit, fmt::format("has {} fibers, but was asked for number {}", memory.fibers.size(), fiber));
      const std::int64_t bytes = memory.fibers[static_cast<std::size_t>(fiber)];
      ++counts.asked;
      if (!contents.has(fiber)) {
        while (!contents.has_room(bytes)) {
          if (contents.forget_one()) continue;
          if (in_use.size() <= (last_is_open ? 1U : 0U)) refuse(unit, memory, bytes, contents.used());
          if (used.empty()) co_await used.until_element();
          const Token ended = used.take();
          begin = unit.self.now();
          if (!ended.is_stop() || ended.level() < memory.levels - 1 || ended.hollow() >= memory.levels) continue;
          contents.release(in_use.front());
          in_use.pop_front();
        }
        free = std::max(free, begin) + memory.latency + (bytes + memory.rate - 1) / memory.rate;
        unit.self.wait_to_receive(free);
        contents.add(fiber, bytes);
        ++counts.reads;
        counts.bytes += bytes;
      }
      contents.use(fiber);
      in_use.push_back(fiber);
    } else if (token.is_empty()) {
      in_use.push_back(nothing);
    }
    last_is_open = token.is_data() || token.is_empty();
    while (!out.has_room()) co_await out.until_room();
    out.put(token);
    unit.step();
    if (token.is_done()) break;
  }
  for (bool ended = false; !ended;) {
    if (used.empty()) co_await used.until_element();
    ended = used.take().is_done();
  }
}

} // namespace cyclotron::sam
