// SPDX-License-Identifier: MIT
// Level scanners: a reference becomes the fiber that it names, with the references of the level below.
//
// The stop that closes a fiber depends on what follows the reference: where the fiber above ends there, too, the
// scanner takes its stop and puts out one a level higher.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {
namespace {

struct Scanner {
  explicit Scanner(Unit& u) : unit(u), parents(u.input(0)), crd(u.out[0]), ref(u.out[1]) {}

  bool has_room() const { return crd.has_room() && ref.has_room(); }
  auto until_room() { return crd.has_room() ? ref.until_room() : crd.until_room(); }
  void put(Token coordinate, Token reference) {
    crd.put(coordinate);
    ref.put(reference);
    unit.self.work(1);
  }
  void put(Token both) { put(both, both); }

  // The next parent is there.
  Token closing() {
    const Token next = parents.look();
    if (!next.is_stop()) return stop(0);
    parents.take();
    return stop(next.level + 1);
  }
  static Token raised(Token parent) { return stop(parent.level + 1, parent.hollow + 1); }

  Unit& unit;
  Input& parents;
  Output& crd;
  Output& ref;
};

} // namespace

Body feed_root(Unit& unit) {
  unit.out[0].put(data(0));
  unit.self.work(1);
  unit.out[0].put(done());
  co_return;
}

Body scan_compressed(Unit& unit, const tensor::Level& level) {
  Scanner scan(unit);
  const bool single = level.kind == tensor::LevelKind::singleton;
  const auto parents = static_cast<std::int64_t>(single ? level.coordinates.size()
                                                        : std::max<std::size_t>(level.positions.size(), 1) - 1);
  for (;;) {
    if (scan.parents.empty()) co_await scan.parents.until_element();
    const Token parent = scan.parents.take();
    while (!scan.has_room()) co_await scan.until_room();
    if (parent.is_done()) break;
    if (parent.is_stop()) { // of an empty fiber: there is no reference that would be the parent of this one
      scan.put(Scanner::raised(parent));
      continue;
    }
    if (parent.is_empty()) {
      scan.put(empty());
    } else {
      const std::int64_t at = parent.payload.whole;
      if (at < 0 || at >= parents) fail(unit, fmt::format("has {} fibers, but was asked for number {}", parents, at));
      std::int64_t p = single ? at : level.positions[static_cast<std::size_t>(at)];
      const std::int64_t end = single ? at + 1 : level.positions[static_cast<std::size_t>(at) + 1];
      if (p < end) {
        scan.put(data(level.coordinates[static_cast<std::size_t>(p)]), data(p));
        ++p;
      }
      // As in the published model, all coordinates but the first wait for the next parent to be queued.
      if (p < end) {
        if (scan.parents.empty()) co_await scan.parents.until_element();
        scan.parents.look();
      }
      for (; p < end; ++p) {
        while (!scan.has_room()) co_await scan.until_room();
        scan.put(data(level.coordinates[static_cast<std::size_t>(p)]), data(p));
      }
    }
    if (scan.parents.empty()) co_await scan.parents.until_element();
    while (!scan.has_room()) co_await scan.until_room();
    scan.put(scan.closing());
  }
  scan.put(done());
}

Body scan_dense(Unit& unit, std::int64_t size, std::int64_t parents) {
  Scanner scan(unit);
  for (;;) {
    if (scan.parents.empty()) co_await scan.parents.until_element();
    const Token parent = scan.parents.take();
    while (!scan.has_room()) co_await scan.until_room();
    if (parent.is_done()) break;
    if (parent.is_stop()) {
      scan.put(Scanner::raised(parent));
      continue;
    }
    if (parent.is_empty()) {
      scan.put(empty());
    } else {
      const std::int64_t at = parent.payload.whole;
      if (parents >= 0 && (at < 0 || at >= parents))
        fail(unit, fmt::format("has {} fibers, but was asked for number {}", parents, at));
      for (std::int64_t c = 0; c < size; ++c) {
        while (!scan.has_room()) co_await scan.until_room();
        scan.put(data(c), data(at * size + c));
      }
    }
    if (scan.parents.empty()) co_await scan.parents.until_element();
    while (!scan.has_room()) co_await scan.until_room();
    scan.put(scan.closing());
  }
  scan.put(done());
}

} // namespace cyclotron::sam
