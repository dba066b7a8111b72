// SPDX-License-Identifier: MIT
#include "pe/executable.hpp"

#include <algorithm>

namespace cyclotron::pe {

namespace {

std::int64_t extent_of(const Memory& memory, std::size_t dimension) {
  return std::max<std::int64_t>(memory.block[dimension], 1);
}

std::int64_t parts_along(const Memory& memory, std::size_t dimension) {
  const std::int64_t extent = extent_of(memory, dimension);
  return (memory.dims[dimension] + extent - 1) / extent;
}

} // namespace

Executable::Executable(const Program& of) : program(of), grid(of) {
  for (const Role& role : of.roles) codes.push_back(compile(role.body, of, spaces));
  codes.push_back(compile(of.host, of, spaces));
}

const Code* Executable::code(int element) const {
  if (is_host(element)) return program.host.empty() ? nullptr : &codes.back();
  const int role = grid.elements()[static_cast<std::size_t>(element)].role;
  return role < 0 ? nullptr : &codes[static_cast<std::size_t>(role)];
}

const std::vector<std::int64_t>& Executable::coordinates(int element) const {
  static const std::vector<std::int64_t> none;
  return is_host(element) ? none : grid.elements()[static_cast<std::size_t>(element)].at;
}

std::string Executable::name(int element) const { return is_host(element) ? "the host" : grid.name(element); }

std::int64_t part_of(const Memory& memory, const MemoryAccess& access, const std::int64_t* frame) {
  std::int64_t part = 0;
  for (std::size_t d = 0; d < memory.dims.size(); ++d) {
    const std::int64_t index = d < access.indices.size() ? access.indices[d].evaluate(frame) : 0;
    const std::int64_t count = parts_along(memory, d);
    if (index < 0 || index >= count) return -1;
    part = part * count + index;
  }
  return part;
}

std::int64_t parts_of(const Memory& memory) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < memory.dims.size(); ++d) count *= parts_along(memory, d);
  return count;
}

std::vector<std::int64_t> part_counts(const Memory& memory) {
  std::vector<std::int64_t> counts;
  for (std::size_t d = 0; d < memory.dims.size(); ++d) counts.push_back(parts_along(memory, d));
  return counts;
}

std::vector<std::int64_t> part_coordinates(const Memory& memory, std::int64_t part) {
  std::vector<std::int64_t> at(memory.dims.size());
  for (std::size_t d = memory.dims.size(); d-- > 0;) {
    const std::int64_t along = parts_along(memory, d);
    at[d] = part % along;
    part /= along;
  }
  return at;
}

PartBox box_of(const Memory& memory, std::int64_t part) {
  PartBox box;
  box.first.resize(memory.dims.size());
  box.count.resize(memory.dims.size());
  for (std::size_t d = memory.dims.size(); d-- > 0;) {
    const std::int64_t along = parts_along(memory, d), extent = extent_of(memory, d);
    box.first[d] = part % along * extent;
    box.count[d] = std::min(extent, memory.dims[d] - box.first[d]);
    part /= along;
  }
  return box;
}

bool is_tiled(const Memory& memory) {
  return std::any_of(memory.block.begin(), memory.block.end(), [](std::int64_t b) { return b != 0; });
}

std::vector<std::int64_t> tile_of(const Memory& memory, const PartBox& box) {
  std::vector<std::int64_t> tile;
  for (std::size_t d = 0; d < memory.dims.size(); ++d)
    if (memory.block[d] != 0) tile.push_back(box.count[d]);
  return tile;
}

} // namespace cyclotron::pe
