// SPDX-License-Identifier: MIT
// Finds the value at given coordinates, level by level.
#include "tensor/tensor.hpp"
#include "tensor/walk.hpp"

namespace cyclotron::tensor {

namespace {

// A compressed level and the singleton levels below it are sorted by their coordinates taken together.
std::int64_t find_in_group(const Tensor& tensor, std::size_t first, std::size_t last, std::int64_t parent,
                           const std::int64_t* coordinates) {
  std::int64_t low = tensor.levels[first].positions[index(parent)];
  std::int64_t high = tensor.levels[first].positions[index(parent + 1)];
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    int order = 0;
    for (std::size_t l = first; l < last && order == 0; ++l) {
      const std::int64_t there = tensor.levels[l].coordinates[index(middle)];
      const std::int64_t wanted = coordinates[tensor.format.order[l]];
      order = there < wanted ? -1 : there > wanted ? 1 : 0;
    }
    if (order == 0) return middle;
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return -1;
}

std::int64_t find_bit(const Level& level, std::int64_t parent, std::int64_t coordinate) {
  const std::uint64_t* bits = level.bits.data() + parent * words_of(level.size);
  const std::int64_t word = coordinate / 64;
  const std::uint64_t bit = std::uint64_t{1} << (coordinate % 64);
  if (!(bits[word] & bit)) return -1;
  std::int64_t position = level.positions[index(parent)] + std::popcount(bits[word] & (bit - 1));
  for (std::int64_t w = 0; w < word; ++w) position += std::popcount(bits[w]);
  return position;
}

} // namespace

std::int64_t locate(const Tensor& tensor, const std::int64_t* coordinates) {
  std::int64_t position = 0;
  for (std::size_t l = 0; l < tensor.levels.size() && position >= 0;) {
    const Level& level = tensor.levels[l];
    const std::int64_t wanted = coordinates[tensor.format.order[l]];
    std::size_t next = l + 1;
    switch (level.kind) {
    case LevelKind::dense: position = position * level.size + wanted; break;
    case LevelKind::compressed:
      while (next < tensor.levels.size() && properties_of(tensor.levels[next].kind).branchless) ++next;
      position = find_in_group(tensor, l, next, position, coordinates);
      break;
    case LevelKind::singleton: bug("a singleton level stands below neither a compressed nor a singleton level");
    case LevelKind::bitvector: position = find_bit(level, position, wanted); break;
    }
    l = next;
  }
  return position;
}

} // namespace cyclotron::tensor
