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

// Backwards through a step: what is not read further on is read for the last time. The branches of a condition follow
// each other here, so a read in the first may not be seen as the last one, which costs only memory.
void find_last_reads(Code& code, const StepCode& step, std::set<int> live) {
  for (int at = step.last; at >= step.first; --at) {
    const Instruction& i = code.instructions[static_cast<std::size_t>(at)];
    const Uses uses = uses_of(i, code);
    if (uses.write >= 0) live.erase(uses.write);
    const bool calls = i.op == Opcode::kernel || i.op == Opcode::add_kernel || i.op == Opcode::sub_kernel;
    if (calls) {
      KernelCode& kernel = code.kernels[static_cast<std::size_t>(i.b)];
      for (std::size_t a = 0; a < kernel.arguments.size(); ++a) {
        const int tile = kernel.arguments[a];
        const auto times = std::count(uses.reads.begin(), uses.reads.end(), tile);
        kernel.consumed[a] = !live.count(tile) && times == 1;
      }
    } else if (uses.reads.size() == 1 || (uses.reads.size() == 2 && uses.reads[0] != uses.reads[1]))
      code.last_reads[static_cast<std::size_t>(at)] = !live.count(uses.reads[0]);
    live.insert(uses.reads.begin(), uses.reads.end());
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
  code.last_reads.assign(code.instructions.size(), false);
  for (const StepCode& s : code.steps) find_last_reads(code, s, kept);
}

} // namespace cyclotron::pe
