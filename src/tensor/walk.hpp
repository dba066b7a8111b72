// SPDX-License-Identifier: MIT
// Visits every stored value of a tensor in storage order, whatever its levels.
#pragma once

#include "tensor/tensor.hpp"

#include <bit>

namespace cyclotron::tensor {

inline std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Words that one parent's bits take.
inline std::int64_t words_of(std::int64_t size) { return size / 64 + (size % 64 != 0 ? 1 : 0); }

template <class Visit> class Walker {
public:
  Walker(const Tensor& tensor, Visit& visit)
      : tensor_(tensor), visit_(visit), at_(static_cast<std::size_t>(tensor.rank())) {}

  void enter(std::size_t depth, std::int64_t parent) {
    if (depth == tensor_.levels.size()) {
      visit_(parent, static_cast<const std::int64_t*>(at_.data()));
      return;
    }
    const Level& level = tensor_.levels[depth];
    std::int64_t& coordinate = at_[static_cast<std::size_t>(tensor_.format.order[depth])];
    const auto parent_index = static_cast<std::size_t>(parent);
    switch (level.kind) {
    case LevelKind::dense:
      for (std::int64_t c = 0; c < level.size; ++c) {
        coordinate = c;
        enter(depth + 1, parent * level.size + c);
      }
      break;
    case LevelKind::compressed:
      for (std::int64_t p = level.positions[parent_index]; p < level.positions[parent_index + 1]; ++p) {
        coordinate = level.coordinates[static_cast<std::size_t>(p)];
        enter(depth + 1, p);
      }
      break;
    case LevelKind::singleton:
      coordinate = level.coordinates[parent_index];
      enter(depth + 1, parent);
      break;
    case LevelKind::bitvector: enter_bits(level, coordinate, depth, parent); break;
    }
  }

private:
  void enter_bits(const Level& level, std::int64_t& coordinate, std::size_t depth, std::int64_t parent) {
    const std::int64_t words = words_of(level.size);
    std::int64_t position = level.positions[static_cast<std::size_t>(parent)];
    for (std::int64_t w = 0; w < words; ++w) {
      std::uint64_t word = level.bits[static_cast<std::size_t>(parent * words + w)];
      for (; word != 0; word &= word - 1) {
        coordinate = w * 64 + std::countr_zero(word);
        enter(depth + 1, position++);
      }
    }
  }

  const Tensor& tensor_;
  Visit& visit_;
  std::vector<std::int64_t> at_;
};

// Calls visit(position, coordinates) with the coordinates in the order of the dimensions.
template <class Visit> void walk(const Tensor& tensor, Visit visit) {
  // Dense levels above an empty one would be counted through for nothing.
  if (tensor.stored() == 0) return;
  Walker<Visit>(tensor, visit).enter(0, 0);
}

} // namespace cyclotron::tensor
