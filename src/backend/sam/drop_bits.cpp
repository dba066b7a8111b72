// SPDX-License-Identifier: MIT
// The block `bvdrop`. It clears the bits of words whose fiber below is empty, and drops the fibers that become
// empty.
//
// It is made of four units with wires that take no time: the inner stream goes to the one that clears bits and, at its
// own pace, to the one that drops its empty fibers; the outer stream passes the first, and then one that drops its own.
// A word of zeros below stands for an empty fiber; a fiber below is one word.
#include "backend/sam/blocks.hpp"

#include <algorithm>

namespace cyclotron::sam {
namespace {

bool is_zero_word(const Token& token) { return token.is_data() && token.payload.whole == 0; }

} // namespace

Body pass_twice(Unit& unit) {
  Input& in = unit.input(0);
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    ended = token.is_done();
    if (is_zero_word(token)) continue; // as if it had never come
    for (Output& out : unit.out) {
      while (!out.has_room()) co_await out.until_room();
      out.put(token);
    }
    unit.step();
  }
}

Body clear_bits(Unit& unit, bool keeps_zeros) {
  Input &above = unit.input(0), &below = unit.input(1);
  Output& out = unit.out[0];
  for (bool ended = false; !ended;) {
    if (above.empty()) co_await above.until_element();
    const Token held = above.take();
    ended = held.is_done();
    auto kept = static_cast<std::uint64_t>(held.payload.whole);
    std::uint64_t left = held.is_data() ? kept : 0;
    for (bool has = false; left != 0;) {
      if (below.empty()) co_await below.until_element();
      const Token token = below.take();
      if (token.is_done()) fail(unit, "has words with more bits than there are fibers below");
      if (token.is_stop() && token.hollow() > 0) continue; // of no bit
      if (token.is_data() && has) fail(unit, "has a fiber of several words below, and drops only those of one");
      has |= token.is_data();
      if (token.is_stop()) {
        if (!has) kept &= ~(left & -left);
        has = false;
        left &= left - 1;
      }
      if (left != 0) unit.step();
    }
    if (!held.is_data() || kept != 0 || keeps_zeros) {
      while (!out.has_room()) co_await out.until_room();
      out.put(held.is_data() ? data(static_cast<std::int64_t>(kept)) : held);
    }
    unit.step();
  }
}

// A run of stops becomes the highest of them, in a cycle of its own before what follows; those before all data go.
Body drop_empty_fibers(Unit& unit) {
  Input& in = unit.input(0);
  Output& out = unit.out[0];
  int highest = -1;
  bool any = false;
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    ended = token.is_done();
    if (token.is_stop()) {
      if (any) highest = std::max<int>(highest, token.level());
    } else {
      if (highest >= 0) {
        while (!out.has_room()) co_await out.until_room();
        out.put(stop(highest));
        unit.step();
        highest = -1;
      }
      while (!out.has_room()) co_await out.until_room();
      out.put(token);
      any = true;
    }
    unit.step();
  }
}

} // namespace cyclotron::sam
