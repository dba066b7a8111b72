// SPDX-License-Identifier: MIT
// Droppers: of coordinates with nothing below them, and of stops.
#include "backend/sam/blocks.hpp"
#include "backend/sam/burst.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {
namespace {

// A coordinate is put out together with the stop of its fiber, where that had anything; the fiber passes as it is. A
// stop of the outer stream has a cycle of its own, but goes with the stop of an inner fiber where there is no
// coordinate before it.
struct DropCoordinates {
  Unit& unit;
  bool on_values;
  ValueType type;
  enum class At { outer, lone_stop, inner, put } at = At::outer;
  Token held = {}, token = {}; // of the outer and of the inner stream
  bool after_stop = true, has = false;

  Need work() {
    Clock clock(unit.self);
    Taking above(unit.input(0)), below(unit.input(1));
    Sending outer(unit.out[0]), inner(unit.out[1]);
    for (;;) {
      if (at == At::outer) {
        if (above.empty()) return {.token = &unit.input(0)};
        held = above.take(clock);
        has = false;
        at = held.is_stop() && !after_stop ? At::lone_stop : At::inner;
      }
      if (at == At::inner) {
        if (below.empty()) return {.token = &unit.input(1)};
        token = below.take(clock);
        at = At::put;
      }
      if (at == At::put && !inner.has_room()) return {.room = &unit.out[1]};
      if (!outer.has_room()) return {.room = &unit.out[0]};
      if (at == At::lone_stop) {
        outer.put(held, clock);
        unit.step(clock);
        after_stop = true;
        at = At::outer;
        continue;
      }
      const bool ends = pass(outer, inner, clock);
      if (ends && held.is_done()) return {};
      if (ends) after_stop = held.is_stop();
      at = ends ? At::outer : At::inner;
    }
  }

  // The inner token, and the outer one where the fiber ends; whether it does.
  bool pass(Sending& outer, Sending& inner, Clock& clock) {
    if (token.is_done() != held.is_done() || (held.is_stop() && token.is_data()))
      fail(unit, clock.now(),
           fmt::format("has {} outside where {} is inside: their shapes differ", describe(held), describe(token)));
    const bool counts = token.is_data() && !(on_values && is_zero(token.payload, type));
    if (!token.is_data() || counts || !on_values) inner.put(token, clock);
    has |= counts || token.is_empty(); // an `N` stands for a value, zero
    const bool ends = token.is_stop() || token.is_done();
    const bool is_coordinate = held.is_data() || held.is_empty();
    if (ends && (!is_coordinate || has)) outer.put(held, clock);
    unit.step(clock);
    return ends;
  }
};

} // namespace

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
    unit.step();
    ended = token.is_done();
  }
}

Body drop_coordinates(Unit& unit, bool on_values, ValueType type) {
  return work_off(DropCoordinates{unit, on_values, type});
}

} // namespace cyclotron::sam
