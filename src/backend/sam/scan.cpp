// SPDX-License-Identifier: MIT
// Level scanners: a reference becomes the fiber that it names, with the references of the level below.
//
// The stop that closes a fiber depends on what follows the reference: where the fiber above ends there, too, the
// scanner takes its stop and puts out one a level higher.
#include "backend/sam/blocks.hpp"
#include "backend/sam/burst.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace cyclotron::sam {
namespace {

// Where a fiber stands in its level.
struct Places {
  std::int64_t begin = 0, end = 0;
};

struct CompressedFibers {
  // As in the published model, all coordinates but the first wait for the next parent to be queued.
  static constexpr bool waits_for_next = true;
  const tensor::Level& level;

  std::int64_t count() const { return static_cast<std::int64_t>(std::max<std::size_t>(level.positions.size(), 1)) - 1; }
  Places fiber(std::size_t number) const { return {level.positions[number], level.positions[number + 1]}; }
  Token first(std::int64_t place) const { return data(level.coordinates[static_cast<std::size_t>(place)]); }
  static Token reference(std::int64_t place) { return data(place); }
};

struct SingletonFibers : CompressedFibers {
  std::int64_t count() const { return static_cast<std::int64_t>(level.coordinates.size()); }
  static Places fiber(std::size_t number) {
    const auto place = static_cast<std::int64_t>(number);
    return {place, place + 1};
  }
};

struct DenseFibers {
  static constexpr bool waits_for_next = false;
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t size, parents;
  std::uint64_t before = 0;

  std::int64_t count() const { return parents >= 0 ? parents : most; }
  Places fiber(std::size_t number) {
    before = number * static_cast<std::uint64_t>(size);
    return {0, size};
  }
  static Token first(std::int64_t place) { return data(place); }
  // Where there is no tensor, many levels may have more references than there are numbers; nobody uses them then.
  Token reference(std::int64_t place) const {
    return data(static_cast<std::int64_t>((before + static_cast<std::uint64_t>(place)) & std::uint64_t{most}));
  }
};

// Words instead of coordinates; the reference is that of the first bit.
struct BitFibers {
  static constexpr bool waits_for_next = false;
  const tensor::Level& level;
  std::int64_t before = 0; // bits before the word

  std::int64_t count() const { return static_cast<std::int64_t>(level.positions.size()) - 1; }
  Places fiber(std::size_t number) {
    before = level.positions[number];
    const std::int64_t words = tensor::words_of(level.size), begin = static_cast<std::int64_t>(number) * words;
    return {begin, begin + words};
  }
  Token first(std::int64_t place) const {
    return data(static_cast<std::int64_t>(level.bits[static_cast<std::size_t>(place)]));
  }
  Token reference(std::int64_t place) {
    const std::int64_t bits = std::popcount(level.bits[static_cast<std::size_t>(place)]);
    return data(std::exchange(before, before + bits));
  }
};

template <class Fibers> struct Scan {
  Unit& unit;
  Fibers fibers;
  bool keeps_empty;
  enum class At { parent, open, inside, close } at = At::parent;
  Token parent = {};
  Places places = {}; // that are left of the fiber
  bool first_is_out = false;

  Need work() {
    Clock clock(unit.self);
    Taking parents(unit.input(0));
    Sending first(unit.out[0]), reference(unit.out[1]);
    const auto room = [&] { return first.has_room() && reference.has_room(); };
    const auto put = [&](const Token& a, const Token& b) {
      first.put(a, clock);
      reference.put(b, clock);
      unit.step(clock);
    };
    for (;;) {
      if (at == At::parent) {
        if (parents.empty()) return {.token = &unit.input(0)};
        parent = parents.take(clock);
        at = At::open;
      }
      if (at == At::open) {
        if (!room()) break;
        const Token token = opening();
        if (parent.is_stop() || parent.is_done() || (parent.is_empty() && keeps_empty)) put(token, token);
        if (parent.is_done()) return {};
        if (parent.is_data()) open(clock.now());
        at = parent.is_data() ? At::inside : parent.is_stop() ? At::parent : At::close;
        if (at == At::parent) continue;
      }
      if (at == At::inside) {
        for (; places.begin < places.end; ++places.begin) {
          if (Fibers::waits_for_next && first_is_out) {
            if (parents.empty()) return {.token = &unit.input(0)};
            parents.look(clock);
          }
          if (!room()) return full(first);
          put(fibers.first(places.begin), fibers.reference(places.begin));
          first_is_out = true;
        }
        at = At::close;
      }
      if (parents.empty()) return {.token = &unit.input(0)};
      if (!room()) break;
      const Token token = closing(parents, clock);
      put(token, token);
      at = At::parent;
    }
    return full(first);
  }

  Need full(const Sending& first) const { return {.room = &unit.out[first.has_room() ? 1 : 0]}; }

  // Of what stands in place of a fiber. A stop is that of an empty fiber: there is no reference that would be the
  // parent of this one.
  Token opening() const {
    return parent.is_stop() ? stop(parent.level() + 1, parent.hollow() + 1) : parent.is_done() ? done() : empty();
  }

  void open(Time now) {
    const std::int64_t number = parent.payload.whole;
    if (number < 0 || number >= fibers.count())
      fail(unit, now, fmt::format("has {} fibers, but was asked for number {}", fibers.count(), number));
    places = fibers.fiber(static_cast<std::size_t>(number));
    first_is_out = false;
  }

  // The stop of a fiber; the next parent is there.
  static Token closing(Taking& parents, Clock& clock) {
    if (!parents.look(clock).is_stop()) return stop(0);
    return stop(parents.take(clock).level() + 1);
  }
};

} // namespace

Body feed_root(Unit& unit) {
  unit.out[0].put(data(0));
  unit.step();
  unit.out[0].put(done());
  co_return;
}

Body scan_compressed(Unit& unit, const tensor::Level& level, bool keeps_empty) {
  if (tensor::properties_of(level.kind).branchless)
    return work_off(Scan<SingletonFibers>{unit, {{level}}, keeps_empty});
  return work_off(Scan<CompressedFibers>{unit, {level}, keeps_empty});
}

Body scan_dense(Unit& unit, std::int64_t size, std::int64_t parents, bool keeps_empty) {
  return work_off(Scan<DenseFibers>{unit, {size, parents}, keeps_empty});
}

Body scan_bits(Unit& unit, const tensor::Level& level, bool keeps_empty) {
  return work_off(Scan<BitFibers>{unit, {level}, keeps_empty});
}

} // namespace cyclotron::sam
