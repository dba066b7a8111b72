// SPDX-License-Identifier: MIT
// Repeaters: a reference (or coordinate) once for every coordinate of another level.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {

// A signal is data for `again`, a stop of level 0 for the end of a fiber, and done.
static Token signal_of(Token token) {
  if (token.is_stop()) return stop(0);
  return token.is_done() ? done() : data(0);
}

Body make_signals(Unit& unit) {
  Input& in = unit.input(0);
  Output& out = unit.out[0];
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    while (!out.has_room()) co_await out.until_room();
    out.put(signal_of(token));
    unit.step();
    ended = token.is_done();
  }
}

Body hold(Unit& unit) {
  Input& in = unit.input(0);
  Output& inner = unit.out[0];
  Output& signals = unit.out[1];
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    while (!inner.has_room()) co_await inner.until_room();
    while (!signals.has_room()) co_await signals.until_room();
    inner.put(token);
    signals.put(signal_of(token));
    unit.step();
    ended = token.is_done();
  }
}

Body repeat(Unit& unit) {
  Input& in = unit.input(0);
  Input& signals = unit.input(1);
  Output& out = unit.out[0];
  for (;;) {
    if (in.empty()) co_await in.until_element();
    const Token held = in.take();
    for (;;) {
      if (signals.empty()) co_await signals.until_element();
      const Token signal = signals.take();
      while (!out.has_room()) co_await out.until_room();
      if (signal.is_data()) {
        if (held.is_stop() || held.is_done())
          fail(unit, fmt::format("is told to repeat {}: its two streams have different shapes", describe(held)));
        out.put(held);
        unit.step();
        continue;
      }
      if (signal.is_done() != held.is_done())
        fail(unit, fmt::format("has {} where the signals have {}: its two streams have different shapes",
                               describe(held), describe(signal)));
      if (signal.is_done()) {
        out.put(done());
        unit.step();
        co_return;
      }
      Token end = stop(held.level + 1, held.hollow + 1); // an empty fiber above
      if (!held.is_stop()) {
        if (in.empty()) co_await in.until_element();
        end = stop(0);
        if (const Token next = in.look(); next.is_stop()) end = stop(in.take().level + 1);
      }
      out.put(end);
      unit.step();
      break;
    }
  }
}

} // namespace cyclotron::sam
