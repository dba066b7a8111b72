// SPDX-License-Identifier: MIT
// Repeaters: a reference (or coordinate) once for every coordinate of another level.
#include "backend/sam/blocks.hpp"
#include "backend/sam/burst.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {
namespace {

// A signal is data for `again`, a stop of level 0 for the end of a fiber, and done.
Token signal_of(const Token& token) {
  if (token.is_stop()) return stop(0);
  return token.is_done() ? done() : data(0);
}

struct Repeat {
  Unit& unit;
  enum class At { begin, signal, put, close } at = At::begin;
  Token held = {}, signal = {};

  Need work() {
    Clock clock(unit.self);
    Taking in(unit.input(0)), signals(unit.input(1));
    Sending out(unit.out[0]);
    for (;;) {
      if (at == At::begin) {
        if (in.empty()) return {.token = &unit.input(0)};
        held = in.take(clock);
        at = At::signal;
      }
      if (at == At::signal && !repeat(signals, out, clock)) return {.token = &unit.input(1)};
      if (!out.has_room()) return {.room = &unit.out[0]};
      if (at == At::put) {
        out.put(held, clock);
        unit.step(clock);
        at = At::signal;
        continue;
      }
      if (!held.is_stop() && !held.is_done() && in.empty()) return {.token = &unit.input(0)};
      out.put(closing(in, clock), clock);
      unit.step(clock);
      if (held.is_done()) return {};
      at = At::begin;
    }
  }

  // Until the signal that ends a fiber, or one for which there is no room; whether there was one.
  bool repeat(Taking& signals, Sending& out, Clock& clock) {
    const Token again = held;
    while (!signals.empty()) {
      signal = signals.take(clock);
      check(clock.now());
      at = signal.is_data() ? At::put : At::close;
      if (at == At::close || !out.has_room()) return true;
      out.put(again, clock);
      unit.step(clock);
    }
    at = At::signal;
    return false;
  }

  // The stop of what was repeated, or the end; it depends on what follows.
  Token closing(Taking& in, Clock& clock) const {
    if (held.is_done()) return done();
    if (held.is_stop()) return stop(held.level() + 1, held.hollow() + 1); // an empty fiber above
    if (!in.look(clock).is_stop()) return stop(0);
    return stop(in.take(clock).level() + 1);
  }

  void check(Time now) const {
    if (signal.is_data() && (held.is_stop() || held.is_done()))
      fail(unit, now, fmt::format("is told to repeat {}: its two streams have different shapes", describe(held)));
    if (!signal.is_data() && signal.is_done() != held.is_done())
      fail(unit, now,
           fmt::format("has {} where the signals have {}: its two streams have different shapes", describe(held),
                       describe(signal)));
  }
};

} // namespace

Body make_signals(Unit& unit) {
  return map(unit, [](const Token& token, Time) { return signal_of(token); });
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

Body repeat(Unit& unit) { return work_off(Repeat{unit}); }

} // namespace cyclotron::sam
