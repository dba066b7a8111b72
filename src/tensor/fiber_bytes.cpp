// SPDX-License-Identifier: MIT
#include "tensor/fiber_bytes.hpp"

#include "tensor/walk.hpp"

namespace cyclotron::tensor {
namespace {

constexpr std::int64_t word_bytes = 8;

std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

// Fiber i of a compressed level or one of bits has the children positions[i] to positions[i + 1].
std::vector<std::int64_t> between_positions(const Level& level, const std::vector<std::int64_t>& below,
                                            std::int64_t own, std::int64_t each) {
  std::vector<std::int64_t> bytes;
  for (std::size_t f = 0; f + 1 < level.positions.size(); ++f) {
    std::int64_t sum = own;
    for (std::int64_t c = level.positions[f]; c < level.positions[f + 1]; ++c) sum += each + below[place(c)];
    bytes.push_back(sum);
  }
  return bytes;
}

// From the bytes of every child to those of every fiber, of which there are `count`.
std::vector<std::int64_t> one_level_up(const Level& level, std::int64_t count, const std::vector<std::int64_t>& below) {
  std::vector<std::int64_t> bytes;
  switch (level.kind) {
  case LevelKind::dense:
    bytes.assign(place(count), 0);
    for (std::size_t c = 0; c < below.size(); ++c) bytes[c / place(level.size)] += below[c];
    return bytes;
  case LevelKind::singleton:
    for (const std::int64_t b : below) bytes.push_back(b + word_bytes);
    return bytes;
  case LevelKind::bitvector: return between_positions(level, below, word_bytes * (words_of(level.size) + 1), 0);
  case LevelKind::compressed: break;
  }
  return between_positions(level, below, word_bytes, word_bytes);
}

} // namespace

std::vector<std::int64_t> fiber_bytes(const Tensor& tensor, std::size_t level) {
  std::vector<std::int64_t> counts = {1}; // of the fibers of each level
  for (const Level& l : tensor.levels) counts.push_back(entry_count(l, counts.back()));
  std::vector<std::int64_t> bytes(place(tensor.stored()), size_of(tensor.type()));
  for (std::size_t l = tensor.levels.size(); l > level; --l)
    bytes = one_level_up(tensor.levels[l - 1], counts[l - 1], bytes);
  return bytes;
}

} // namespace cyclotron::tensor
