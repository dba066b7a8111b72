// SPDX-License-Identifier: MIT
// One stream for several copies of the blocks behind it, and back: the elements of a fiber go to the copies in turn,
// its stop to all.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace cyclotron::sam {
namespace {

bool is_element(const Token& token) { return token.is_data() || token.is_empty(); }

} // namespace

Body parallelize(Unit& unit) {
  Input& in = unit.input(0);
  std::size_t copy = 0;
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    const std::size_t first = is_element(token) ? copy : 0, last = is_element(token) ? copy : unit.out.size() - 1;
    for (std::size_t o = first; o <= last; ++o) {
      while (!unit.out[o].has_room()) co_await unit.out[o].until_room();
      unit.out[o].put(token);
    }
    copy = is_element(token) ? (copy + 1) % unit.out.size() : 0;
    unit.step();
    ended = token.is_done();
  }
}

Body serialize(Unit& unit) {
  Output& out = unit.out[0];
  std::size_t copy = 0;
  for (bool ended = false; !ended;) {
    if (unit.in[copy]->empty()) co_await unit.in[copy]->until_element();
    const Token token = unit.in[copy]->take();
    if (is_element(token)) {
      copy = (copy + 1) % unit.in.size();
    } else { // the fiber has ended on all copies
      for (std::size_t i = 0; i < unit.in.size(); ++i) {
        if (i == copy) continue;
        if (unit.in[i]->empty()) co_await unit.in[i]->until_element();
        const Token other = unit.in[i]->take();
        if (other.kind() != token.kind() || other.level() != token.level())
          fail(unit, fmt::format("has {} from one copy where another has {}", describe(token), describe(other)));
      }
      copy = 0;
    }
    while (!out.has_room()) co_await out.until_room();
    out.put(token);
    unit.step();
    ended = token.is_done();
  }
}

// Streams `below` levels further in: an element of the parallel level is a part that ends with a stop of level `below`
// - 1, or of a higher one where the fiber ends with it. A copy that has no element in a fiber says so with a hollow
// stop.
Body serialize_fibers(Unit& unit, int below) {
  Output& out = unit.out[0];
  const std::size_t copies = unit.in.size();
  for (;;) { // a fiber of the parallel level
    std::vector<bool> over(copies, false);
    std::optional<Token> held; // the stop of the last element, which may be that of the fiber
    std::size_t left = copies;
    for (std::size_t copy = 0; left > 0; copy = (copy + 1) % copies) {
      if (over[copy]) continue;
      for (bool first = true;; first = false) {
        if (unit.in[copy]->empty()) co_await unit.in[copy]->until_element();
        const Token token = unit.in[copy]->take();
        const bool nothing = first && token.is_stop() && token.hollow() >= below;
        if (held && !nothing && first) {
          while (!out.has_room()) co_await out.until_room();
          held = stop(below - 1, held->hollow());
          out.put(*held);
          unit.step();
          held.reset();
        }
        if (token.is_done()) {
          for (std::size_t other = copy + 1; other < copies; ++other) {
            if (unit.in[other]->empty()) co_await unit.in[other]->until_element();
            if (!unit.in[other]->take().is_done()) fail(unit, "has copies whose streams end at different places");
          }
          while (!out.has_room()) co_await out.until_room();
          out.put(token);
          unit.step();
          co_return;
        }
        if (token.is_stop() && token.level() >= below) {
          if (!nothing || !held) held = token;
          over[copy] = true;
          --left;
          break;
        }
        while (!out.has_room()) co_await out.until_room();
        out.put(token);
        unit.step();
        if (token.is_stop() && token.level() == below - 1) break;
      }
    }
    while (!out.has_room()) co_await out.until_room();
    out.put(*held);
    unit.step();
  }
}

} // namespace cyclotron::sam
