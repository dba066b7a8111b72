// SPDX-License-Identifier: MIT
// A program ready to run: its grid, and code for each role and for the host.
#pragma once

#include "pe/code.hpp"
#include "pe/place.hpp"

#include <string>
#include <vector>

namespace cyclotron::pe {

struct Executable {
  explicit Executable(const Program& of);

  const Program& program;
  Grid grid;
  std::vector<std::string> spaces;
  std::vector<Code> codes; // per role, and last the host's

  // The PEs of the grid, row-major, and behind them the host.
  int elements() const { return grid.size() + 1; }
  int host() const { return grid.size(); }
  bool is_host(int element) const { return element == host(); }
  const Code* code(int element) const; // null where it does nothing
  const std::vector<std::int64_t>& coordinates(int element) const;
  std::string name(int element) const; // `[1,2]`, `the host`
};

// Where in a tensor: its tiles or elements are its parts, numbered row-major; -1 outside.
std::int64_t part_of(const Memory& memory, const MemoryAccess& access, const std::int64_t* frame);

// How many parts there are, and the box of elements that one of them is.
std::int64_t parts_of(const Memory& memory);
// How many there are along each dimension, and which of those a part is.
std::vector<std::int64_t> part_counts(const Memory& memory);
std::vector<std::int64_t> part_coordinates(const Memory& memory, std::int64_t part);

struct PartBox {
  std::vector<std::int64_t> first, count;
};
PartBox box_of(const Memory& memory, std::int64_t part);

// Whether its parts are tiles, and the extents of the tile that is a part.
bool is_tiled(const Memory& memory);
std::vector<std::int64_t> tile_of(const Memory& memory, const PartBox& box);

} // namespace cyclotron::pe
