// SPDX-License-Identifier: MIT
// Level scanners: a reference becomes the fiber that it names, with the references of the level below.
//
// The stop that closes a fiber depends on what follows the reference: where the fiber above ends there, too, the
// scanner takes its stop and puts out one a level higher.
#include "backend/sam/blocks.hpp"
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

struct Ports {
  explicit Ports(Unit& u) : unit(u), parents(u.input(0)), first(u.out[0]), reference(u.out[1]) {}

  bool has_room() const { return first.has_room() && reference.has_room(); }
  auto until_room() { return first.has_room() ? reference.until_room() : first.until_room(); }
  void put(Token a, Token b) {
    first.put(a);
    reference.put(b);
    unit.step();
  }
  void put(Token both) { put(both, both); }

  // The stop of a fiber; the next parent is there.
  Token closing() {
    const Token next = parents.look();
    if (!next.is_stop()) return stop(0);
    parents.take();
    return stop(next.level + 1);
  }

  Unit& unit;
  Input& parents;
  Output& first;
  Output& reference;
};

template <class Fibers> Body scan(Unit& unit, Fibers fibers, bool keeps_empty) {
  Ports ports(unit);
  Input& parents = ports.parents;
  for (;;) {
    if (parents.empty()) co_await parents.until_element();
    const Token parent = parents.take();
    while (!ports.has_room()) co_await ports.until_room();
    if (parent.is_done()) break;
    if (parent.is_stop()) { // of an empty fiber: there is no reference that would be the parent of this one
      ports.put(stop(parent.level + 1, parent.hollow + 1));
      continue;
    }
    if (parent.is_empty()) {
      if (keeps_empty) ports.put(empty());
    } else {
      const std::int64_t number = parent.payload.whole;
      if (number < 0 || number >= fibers.count())
        fail(unit, fmt::format("has {} fibers, but was asked for number {}", fibers.count(), number));
      const auto [begin, end] = fibers.fiber(static_cast<std::size_t>(number));
      for (std::int64_t place = begin; place < end; ++place) {
        if (Fibers::waits_for_next && place == begin + 1) {
          if (parents.empty()) co_await parents.until_element();
          parents.look();
        }
        while (!ports.has_room()) co_await ports.until_room();
        ports.put(fibers.first(place), fibers.reference(place));
      }
    }
    if (parents.empty()) co_await parents.until_element();
    while (!ports.has_room()) co_await ports.until_room();
    ports.put(ports.closing());
  }
  ports.put(done());
}

} // namespace

Body feed_root(Unit& unit) {
  unit.out[0].put(data(0));
  unit.step();
  unit.out[0].put(done());
  co_return;
}

Body scan_compressed(Unit& unit, const tensor::Level& level, bool keeps_empty) {
  if (level.kind == tensor::LevelKind::singleton) return scan(unit, SingletonFibers{{level}}, keeps_empty);
  return scan(unit, CompressedFibers{level}, keeps_empty);
}

Body scan_dense(Unit& unit, std::int64_t size, std::int64_t parents, bool keeps_empty) {
  return scan(unit, DenseFibers{size, parents}, keeps_empty);
}

Body scan_bits(Unit& unit, const tensor::Level& level, bool keeps_empty) {
  return scan(unit, BitFibers{level}, keeps_empty);
}

} // namespace cyclotron::sam
