// SPDX-License-Identifier: MIT
// Which tiles hold nothing that matters once a step is over: those that every step of the program writes before it
// reads them. A runtime lets go of them there, so that memory is held no longer than needed.
#include "pe/code.hpp"

#include <algorithm>
#include <set>

namespace cyclotron::pe {

namespace {

struct Uses {
  std::vector<int> reads;
  int write = -1;
};

Uses uses_of(const Instruction& i, const Code& code) {
  switch (i.op) {
  case Opcode::load_tile:
  case Opcode::receive_tile: return {{}, i.b};
  case Opcode::send_tile:
  case Opcode::store_tile: return {{i.b}, -1};
  case Opcode::read_tile_place: return {{}, i.a};
  case Opcode::write_tile_place: return {{i.a}, -1};
  case Opcode::add_tile:
  case Opcode::sub_tile: return {{i.b, i.c}, i.a};
  case Opcode::move_tile:
  case Opcode::scale_tile:
  case Opcode::divide_tile:
  case Opcode::negate_tile:
  case Opcode::round_tile: return {{i.b}, i.a};
  case Opcode::fill_tile: return {{}, i.a};
  case Opcode::kernel: return {code.kernels[static_cast<std::size_t>(i.b)].arguments, i.a};
  case Opcode::add_kernel:
  case Opcode::sub_kernel: {
    Uses uses{code.kernels[static_cast<std::size_t>(i.b)].arguments, i.a};
    uses.reads.push_back(i.c);
    return uses;
  }
  default: return {};
  }
}

} // namespace

void find_lifetimes(Code& code) {
  std::set<int> kept; // read before they are written, or places of a table
  for (const Place& p : code.places) {
    std::int64_t count = 1;
    for (const PlaceIndex& d : p.indices) count *= d.extent.count;
    for (std::int64_t i = 0; i < count; ++i) kept.insert(p.base + static_cast<int>(i));
  }
  std::vector<std::set<int>> written(code.steps.size());
  for (std::size_t s = 0; s < code.steps.size(); ++s)
    for (int at = code.steps[s].first; at <= code.steps[s].last; ++at) {
      const Uses uses = uses_of(code.instructions[static_cast<std::size_t>(at)], code);
      for (int tile : uses.reads)
        if (!written[s].count(tile)) kept.insert(tile);
      if (uses.write >= 0) written[s].insert(uses.write);
    }
  for (std::size_t s = 0; s < code.steps.size(); ++s)
    std::set_difference(written[s].begin(), written[s].end(), kept.begin(), kept.end(),
                        std::back_inserter(code.steps[s].dead_tiles));
}

} // namespace cyclotron::pe
