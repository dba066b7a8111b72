// SPDX-License-Identifier: MIT
// Blocks that take many tokens in one call, for speed. The body of such a block is an ordinary function. It returns
// when there is no token left to take or no room to put one, and says what it waits for.
#pragma once

#include "backend/sam/unit.hpp"
#include "engine/burst.hpp"

#include <utility>

namespace cyclotron::sam {

using engine::Body;
using engine::Clock;
using engine::Time;
using Taking = engine::Taking<Token>;

// Room at a port, and how many tokens of which kind it put out.
class Sending {
public:
  explicit Sending(Output& output) : output_(output), putting_(output.wires_) {}

  // For one that outlives the function: at its begin and end.
  void load() { putting_.load(); }
  void store() { putting_.store(); }

  bool has_room() const { return putting_.has_room(); }
  void put(Token token, Clock& clock) {
    ++output_.counts_[static_cast<std::size_t>(token.kind())];
    putting_.put(token, clock);
    if (output_.keeps_ && !output_.wires_.empty()) [[unlikely]]
      output_.keep(token, clock.now());
  }

private:
  Output& output_;
  engine::Putting<Token> putting_;
};

// What a block waits for; nothing: it has ended.
struct Need {
  Input* token = nullptr;
  Output* room = nullptr;
};

// `block.work()` goes on where it stopped.
template <class Block> Body work_off(Block block) {
  for (;;) {
    const Need need = block.work();
    if (need.token) co_await need.token->until_element();
    else if (need.room) {
      while (!need.room->has_room()) co_await need.room->until_room();
    } else co_return;
  }
}

// A block that makes one token of each: `each(token, now)`. `fetch(token)` is told of what comes some tokens later.
template <class Each, class Fetch> struct Map {
  Unit& unit;
  Each each;
  Fetch fetch;
  bool holds = false; // a token for which there was no room
  Token held = {};
  static constexpr std::uint64_t tokens_ahead = 16;

  Need work() {
    Clock clock(unit.self);
    Taking in(unit.input(0));
    Sending out(unit.out[0]);
    Token token = held;
    for (;;) {
      if (!holds) {
        if (in.empty()) return {.token = &unit.input(0)};
        if (const Token* later = in.ahead(tokens_ahead)) fetch(*later);
        token = each(in.take(clock), clock.now());
      }
      holds = !out.has_room();
      if (holds) {
        held = token;
        return {.room = &unit.out[0]};
      }
      out.put(token, clock);
      unit.step(clock);
      if (token.is_done()) return {};
    }
  }
};
template <class Each, class Fetch> Body map(Unit& unit, Each each, Fetch fetch) {
  return work_off(Map<Each, Fetch>{unit, std::move(each), std::move(fetch)});
}
template <class Each> Body map(Unit& unit, Each each) {
  return map(unit, std::move(each), [](const Token&) {});
}

// A block that only takes: `each(token)`.
template <class Each> struct Consume {
  Unit& unit;
  Each each;

  Need work() {
    Clock clock(unit.self);
    Taking in(unit.input(0));
    while (!in.empty()) {
      const Token token = in.take(clock);
      each(token);
      unit.step(clock);
      if (token.is_done()) return {};
    }
    return {.token = &unit.input(0)};
  }
};
template <class Each> Body consume(Unit& unit, Each each) { return work_off(Consume<Each>{unit, std::move(each)}); }

} // namespace cyclotron::sam
