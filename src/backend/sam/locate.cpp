// SPDX-License-Identifier: MIT
// Locators: they look a coordinate up in a fiber of a level instead of scanning the fiber.
#include "backend/sam/blocks.hpp"

#include "tensor/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace cyclotron::sam {
namespace {

std::int64_t locate_bit(const tensor::Level& level, std::int64_t parent, std::int64_t coordinate) {
  const std::int64_t first = parent * tensor::words_of(level.size), own = first + coordinate / 64;
  const std::uint64_t word = level.bits[static_cast<std::size_t>(own)], bit = std::uint64_t{1} << (coordinate % 64);
  if ((word & bit) == 0) return -1;
  std::int64_t position = level.positions[static_cast<std::size_t>(parent)] + std::popcount(word & (bit - 1));
  for (std::int64_t w = first; w < own; ++w) position += std::popcount(level.bits[static_cast<std::size_t>(w)]);
  return position;
}

} // namespace

std::int64_t position_in(const tensor::Level& level, std::int64_t parent, std::int64_t coordinate) {
  if (coordinate < 0 || coordinate >= level.size) return -1;
  const auto p = static_cast<std::size_t>(parent);
  switch (level.kind) {
  case tensor::LevelKind::dense: return parent * level.size + coordinate;
  case tensor::LevelKind::singleton: return level.coordinates[p] == coordinate ? parent : -1;
  case tensor::LevelKind::bitvector: return locate_bit(level, parent, coordinate);
  case tensor::LevelKind::compressed: break;
  }
  const auto begin = level.coordinates.begin() + level.positions[p];
  const auto end = level.coordinates.begin() + level.positions[p + 1];
  const auto found = std::lower_bound(begin, end, coordinate);
  return found == end || *found != coordinate ? -1 : found - level.coordinates.begin();
}

Body locate(Unit& unit, const tensor::Level& level, std::int64_t parents) {
  std::vector<Token> taken(unit.in.size());
  for (bool ended = false; !ended;) {
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (unit.in[i]->empty()) co_await unit.in[i]->until_element();
      taken[i] = unit.in[i]->take();
      if (taken[i].is_done() != taken[0].is_done() || taken[i].is_stop() != taken[0].is_stop())
        fail(unit, fmt::format("has coordinates with {} where its references have {}", describe(taken[0]),
                               describe(taken[i])));
    }
    const Token parent = taken.back();
    ended = taken[0].is_done();
    bool puts = ended || taken[0].is_stop();
    if (taken[0].is_data() && parent.is_data()) {
      const std::int64_t at = parent.payload.whole;
      if (at < 0 || (parents >= 0 && at >= parents))
        fail(unit, fmt::format("has {} fibers, but was asked for number {}", parents, at));
      const std::int64_t found = position_in(level, at, taken[0].payload.whole);
      puts = found >= 0;
      taken.back() = data(found);
    }
    if (puts)
      for (std::size_t i = 0; i < taken.size(); ++i) {
        while (!unit.out[i].has_room()) co_await unit.out[i].until_room();
        unit.out[i].put(taken[i]);
      }
    unit.step();
  }
}

} // namespace cyclotron::sam
