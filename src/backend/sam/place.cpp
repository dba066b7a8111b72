// SPDX-License-Identifier: MIT
// Places that are computed: coordinates of several loops, of which there are equally many, to the place that an affine
// formula says, and references to the elements that stand at such places.
//
// An element that is not stored, and a place outside the level, give `N`. So there is one token for each coordinate,
// whatever the data, and the blocks that read the tokens need not know which elements are stored.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

#include <utility>

namespace cyclotron::sam {
namespace {

void check_shape(const Unit& unit, const Token& first, const Token& other) {
  const bool same = first.is_stop() ? other.is_stop() && other.level() == first.level()
                                    : other.is_done() == first.is_done() && !other.is_stop();
  if (!same)
    fail(unit, fmt::format("has {} at one input where another has {}: their shapes differ", describe(first),
                           describe(other)));
}

// Nothing where a coordinate is `N`.
std::int64_t place_of(const Place& place, const std::vector<Token>& taken, std::size_t first, bool& there) {
  std::int64_t sum = place.offset;
  for (std::size_t i = first; i < taken.size(); ++i) {
    there &= taken[i].is_data();
    sum += place.factors[i - first] * taken[i].payload.whole;
  }
  return sum;
}

// One token for each of the first input, which `make(taken)` makes of all inputs; stops and the end pass.
template <class Make> Body one_for_each(Unit& unit, Make make) {
  std::vector<Token> taken(unit.in.size());
  Output& out = unit.out[0];
  for (bool ended = false; !ended;) {
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (unit.in[i]->empty()) co_await unit.in[i]->until_element();
      taken[i] = unit.in[i]->take();
      check_shape(unit, taken[0], taken[i]);
    }
    ended = taken[0].is_done();
    while (!out.has_room()) co_await out.until_room();
    out.put(ended || taken[0].is_stop() ? taken[0] : make(taken));
    unit.step();
  }
}

} // namespace

Body place_coordinates(Unit& unit, Place place) {
  return one_for_each(unit, [place = std::move(place)](const std::vector<Token>& taken) {
    bool there = true;
    const std::int64_t at = place_of(place, taken, 0, there);
    return there ? data(at) : empty();
  });
}

Body look_up(Unit& unit, const tensor::Level& level, std::int64_t parents, Place place) {
  return one_for_each(unit, [&unit, &level, parents, place = std::move(place)](const std::vector<Token>& taken) {
    if (taken[0].is_empty()) return empty();
    const std::int64_t number = taken[0].payload.whole;
    if (number < 0 || number >= parents)
      fail(unit, fmt::format("has {} fibers, but was asked for number {}", parents, number));
    bool there = true;
    const std::int64_t at = place_of(place, taken, 1, there);
    const std::int64_t found = there ? position_in(level, number, at) : -1;
    return found >= 0 ? data(found) : empty();
  });
}

} // namespace cyclotron::sam
