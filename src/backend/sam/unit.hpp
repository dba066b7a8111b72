// SPDX-License-Identifier: MIT
// A block at work: one process of the engine with the wires at its ports. Some blocks are made of several.
//
// Every cycle is one step of its clock: a body takes what it needs (its clock moves on to when all of it is there),
// puts out at most one token a port, and works for one cycle. So the clock is at max(last step + 1, arrivals).
#pragma once

#include "backend/sam/token.hpp"
#include "engine/burst.hpp"

#include <array>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace cyclotron::sam {

using Input = engine::Channel<Token>;

// A port that puts out: any number of wires carry the same tokens.
class Output {
public:
  void add(Input& wire) { wires_.push_back(&wire); }
  void keep_tokens() { keeps_ = true; }

  bool has_room() const {
    for (const Input* wire : wires_)
      if (!wire->has_room()) return false;
    return true;
  }
  // `while (!out.has_room()) co_await out.until_room();`
  auto until_room() {
    Input* full = wires_.front();
    for (Input* wire : wires_)
      if (!wire->has_room()) full = wire;
    return full->until_room();
  }
  void put(Token token) {
    ++counts_[static_cast<std::size_t>(token.kind())];
    for (Input* wire : wires_) wire->put(token);
    if (keeps_ && !wires_.empty()) keep(token, wires_.front()->sender().now());
  }

  const std::array<std::uint64_t, 4>& counts() const { return counts_; }
  const std::vector<Input*>& wires() const { return wires_; }
  const std::vector<TimedToken>& tokens() const { return tokens_; }

private:
  friend class Sending;
  void keep(Token token, engine::Time now);

  std::vector<Input*> wires_;
  std::array<std::uint64_t, 4> counts_ = {};
  bool keeps_ = false;
  std::vector<TimedToken> tokens_;
};

struct Unit {
  engine::Process& self;
  std::string label;
  int node = -1;
  std::vector<Input*> in;
  std::deque<Output> out;
  int steps_a_cycle = 1; // more where its wires carry several tokens side by side
  engine::Time last_cycle = -1;
  int steps_in_it = 0;

  Input& input(std::size_t port) const { return *in[port]; }

  void step() { step(self); }
  // Of the clock that counts: its process', or one that stands for it.
  template <class Clock> void step(Clock& clock) {
    if (steps_a_cycle == 1) return clock.work(1);
    if (clock.now() != last_cycle) steps_in_it = 0;
    last_cycle = clock.now();
    if (++steps_in_it == steps_a_cycle) clock.work(1);
  }
  // A cycle that has begun counts.
  engine::Time end() const { return self.now() + (steps_in_it > 0 && last_cycle == self.now() ? 1 : 0); }
};

// The streams at a block do not fit together, or its numbers are not defined.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void fail(const Unit& unit, engine::Time cycle, const std::string& problem);
[[noreturn]] void fail(const Unit& unit, const std::string& problem); // now

std::string describe(const Token& token); // `S1`, `N`, `D`, `data`

} // namespace cyclotron::sam
