// SPDX-License-Identifier: MIT
// One level of coordinates as two, quotient and remainder, and back.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {

// A quotient that follows another in the same fiber takes a cycle more: the fiber of the one before is closed in it.
Body split(Unit& unit, std::int64_t factor) {
  Input& in = unit.input(0);
  Output &outer = unit.out[0], &inner = unit.out[1];
  std::int64_t last = -1; // quotient in this fiber
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    while (!outer.has_room()) co_await outer.until_room();
    while (!inner.has_room()) co_await inner.until_room();
    if (token.is_data()) {
      const std::int64_t quotient = token.payload.whole / factor;
      if (last >= 0 && quotient != last) {
        inner.put(stop(0));
        unit.step();
        while (!inner.has_room()) co_await inner.until_room();
      }
      if (quotient != last) outer.put(data(quotient));
      inner.put(data(token.payload.whole % factor));
      last = quotient;
    } else if (token.is_stop()) {
      outer.put(token);
      inner.put(stop(token.level() + 1, last >= 0 ? 0 : token.hollow() + 1));
      last = -1;
    } else {
      outer.put(token);
      inner.put(token);
      ended = token.is_done();
    }
    unit.step();
  }
}

Body flatten(Unit& unit, std::int64_t factor) {
  Input &above = unit.input(0), &below = unit.input(1);
  Output& out = unit.out[0];
  const auto differ = [&](const Token& a, const Token& b) {
    fail(unit, fmt::format("has {} outside where {} is inside: their shapes differ", describe(a), describe(b)));
  };
  for (;;) {
    if (above.empty()) co_await above.until_element();
    const Token held = above.take();
    for (;;) {
      if (below.empty()) co_await below.until_element();
      const Token token = below.take();
      while (!out.has_room()) co_await out.until_room();
      if (token.is_done() != held.is_done() ||
          (held.is_stop() && (!token.is_stop() || token.level() != held.level() + 1)))
        differ(held, token);
      if (held.is_stop() || held.is_done()) { // of an empty fiber
        out.put(held);
        unit.step();
        break;
      }
      if (token.is_data() && held.is_data()) out.put(data(held.payload.whole * factor + token.payload.whole));
      if (token.is_stop() && token.level() > 0) {
        if (above.empty()) co_await above.until_element();
        const Token end = above.take();
        if (!end.is_stop() || end.level() + 1 != token.level()) differ(end, token);
        out.put(end);
      }
      unit.step();
      if (token.is_stop()) break;
    }
    if (held.is_done()) co_return;
  }
}

} // namespace cyclotron::sam
