// SPDX-License-Identifier: MIT
// One stream on several lanes, and back: the elements of a fiber go to the lanes in turn, its stop to all.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {
namespace {

bool is_element(const Token& token) { return token.is_data() || token.is_empty(); }

} // namespace

Body parallelize(Unit& unit) {
  Input& in = unit.input(0);
  std::size_t lane = 0;
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    const std::size_t first = is_element(token) ? lane : 0, last = is_element(token) ? lane : unit.out.size() - 1;
    for (std::size_t o = first; o <= last; ++o) {
      while (!unit.out[o].has_room()) co_await unit.out[o].until_room();
      unit.out[o].put(token);
    }
    lane = is_element(token) ? (lane + 1) % unit.out.size() : 0;
    unit.self.work(1);
    ended = token.is_done();
  }
}

Body serialize(Unit& unit) {
  Output& out = unit.out[0];
  std::size_t lane = 0;
  for (bool ended = false; !ended;) {
    if (unit.in[lane]->empty()) co_await unit.in[lane]->until_element();
    const Token token = unit.in[lane]->take();
    if (is_element(token)) {
      lane = (lane + 1) % unit.in.size();
    } else { // the fiber has ended on all lanes
      for (std::size_t i = 0; i < unit.in.size(); ++i) {
        if (i == lane) continue;
        if (unit.in[i]->empty()) co_await unit.in[i]->until_element();
        const Token other = unit.in[i]->take();
        if (other.kind != token.kind || other.level != token.level)
          fail(unit, fmt::format("has {} on one lane where another has {}", describe(token), describe(other)));
      }
      lane = 0;
    }
    while (!out.has_room()) co_await out.until_room();
    out.put(token);
    unit.self.work(1);
    ended = token.is_done();
  }
}

} // namespace cyclotron::sam
