// SPDX-License-Identifier: MIT
// Droppers: of coordinates with nothing below them, and of stops.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {

Body drop_stops(Unit& unit) {
  Input& in = unit.input(0);
  Output& out = unit.out[0];
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    if (!token.is_stop()) {
      while (!out.has_room()) co_await out.until_room();
      out.put(token);
    }
    unit.self.work(1);
    ended = token.is_done();
  }
}

// A coordinate is put out together with the stop of its fiber, where that had anything; the fiber passes as it is. A
// stop of the outer stream has a cycle of its own, but goes with the stop of an inner fiber where there is no
// coordinate before it.
Body drop_coordinates(Unit& unit, bool on_values, ValueType type) {
  Input &above = unit.input(0), &below = unit.input(1);
  Output &outer = unit.out[0], &inner = unit.out[1];
  bool after_stop = true;
  for (;;) {
    if (above.empty()) co_await above.until_element();
    const Token held = above.take();
    if (held.is_stop() && !after_stop) {
      while (!outer.has_room()) co_await outer.until_room();
      outer.put(held);
      unit.self.work(1);
      after_stop = true;
      continue;
    }
    bool has = false;
    for (;;) {
      if (below.empty()) co_await below.until_element();
      const Token token = below.take();
      while (!inner.has_room()) co_await inner.until_room();
      while (!outer.has_room()) co_await outer.until_room();
      if (token.is_done() != held.is_done() || (held.is_stop() && token.is_data()))
        fail(unit,
             fmt::format("has {} outside where {} is inside: their shapes differ", describe(held), describe(token)));
      const bool counts = token.is_data() && !(on_values && is_zero(token.payload, type));
      if (!token.is_data() || counts || !on_values) inner.put(token);
      has |= counts || token.is_empty(); // an `N` stands for a value, zero
      const bool ends = token.is_stop() || token.is_done();
      const bool is_coordinate = held.is_data() || held.is_empty();
      if (ends && (!is_coordinate || has)) outer.put(held);
      unit.self.work(1);
      if (ends) break;
    }
    if (held.is_done()) co_return;
    after_stop = held.is_stop();
  }
}

} // namespace cyclotron::sam
