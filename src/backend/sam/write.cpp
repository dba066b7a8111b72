// SPDX-License-Identifier: MIT
// Writers: they only collect; assemble.cpp makes a tensor of it.
#include "backend/sam/blocks.hpp"
#include "backend/sam/burst.hpp"

#include <bit>

namespace cyclotron::sam {
namespace {

void end_fiber(Written& written, const Token& stop, bool skips_empty) {
  written.level = stop.level();
  const auto count = static_cast<std::int64_t>(written.coordinates.size());
  const std::int64_t before = written.ends.empty() ? 0 : written.ends.back();
  if (skips_empty ? count > before : stop.hollow() == 0) written.ends.push_back(count);
}

} // namespace

Body write_level(Unit& unit, Written& written, bool skips_empty) {
  return consume(unit, [&written, skips_empty](const Token& token) {
    if (token.is_data()) written.coordinates.push_back(token.payload.whole);
    else if (token.is_empty()) written.coordinates.push_back(-1);
    else if (token.is_stop()) end_fiber(written, token, skips_empty);
  });
}

Body write_bits(Unit& unit, Written& written, std::int64_t width, bool skips_empty) {
  Input& in = unit.input(0);
  std::int64_t first = 0; // coordinate that the first bit of the next word stands for
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    if (token.is_data()) {
      for (auto bits = static_cast<std::uint64_t>(token.payload.whole); bits != 0; bits &= bits - 1)
        written.coordinates.push_back(first + std::countr_zero(bits));
      first += width;
    } else if (token.is_stop()) {
      end_fiber(written, token, skips_empty);
      first = 0;
    }
    unit.step();
    ended = token.is_done();
  }
}

Body write_values(Unit& unit, Written& written) {
  return consume(unit, [&written](const Token& token) {
    if (token.is_data()) written.values.push_back(token.payload);
  });
}

// Stops are of no use to it; those that wait at its inputs are dropped in one cycle.
Body write_points(Unit& unit, Written& written) {
  for (;;) {
    bool stops = false;
    std::size_t ended = 0;
    for (Input* in : unit.in) {
      if (in->empty()) co_await in->until_element();
      stops |= in->look().is_stop();
      ended += in->look().is_done();
    }
    for (Input* in : unit.in) {
      if (stops && !in->look().is_stop()) continue;
      const Token token = in->take();
      if (stops || ended > 0) continue;
      if (in != unit.in.back()) written.coordinates.push_back(token.is_empty() ? -1 : token.payload.whole);
      else written.values.push_back(token.payload);
    }
    unit.step();
    if (stops || ended == 0) continue;
    if (ended != unit.in.size()) fail(unit, "has inputs with different numbers of points");
    break;
  }
}

} // namespace cyclotron::sam
