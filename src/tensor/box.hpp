// SPDX-License-Identifier: MIT
// A part of a tensor: what one of many machines holds of it.
#pragma once

#include "tensor/capacity.hpp"

#include <cstdint>
#include <vector>

namespace cyclotron::tensor {

// `count` elements from `first` on in each dimension, in row-major order.
struct Box {
  std::vector<std::int64_t> first, count;

  std::int64_t elements() const { return element_count(count); }
  bool contains(const std::int64_t* at) const {
    for (std::size_t d = 0; d < first.size(); ++d)
      if (at[d] < first[d] || at[d] - first[d] >= count[d]) return false;
    return true;
  }
  bool operator==(const Box&) const = default;
};

inline Box whole_box(const std::vector<std::int64_t>& dims) {
  return {std::vector<std::int64_t>(dims.size(), 0), dims};
}

// Calls visit(at, offset, length) for every row along the last dimension: where it begins in the tensor, where it
// begins in the box, and how many elements it has. A scalar is a row of one.
template <class Visit> void for_each_row(const Box& box, Visit visit) {
  if (box.elements() == 0) return;
  const std::size_t rank = box.first.size();
  const std::int64_t length = rank == 0 ? 1 : box.count[rank - 1];
  const std::int64_t rows = box.elements() / length;
  std::vector<std::int64_t> at = box.first;
  for (std::int64_t row = 0; row < rows; ++row) {
    visit(static_cast<const std::int64_t*>(at.data()), row * length, length);
    for (std::size_t d = rank; d-- > 1;) {
      if (++at[d - 1] < box.first[d - 1] + box.count[d - 1]) break;
      at[d - 1] = box.first[d - 1];
    }
  }
}

// Row-major position of an element; the tensor must not have more than 63 bits can count.
inline std::int64_t position_of(const std::int64_t* at, const std::vector<std::int64_t>& dims) {
  std::int64_t position = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) position = position * dims[d] + at[d];
  return position;
}

} // namespace cyclotron::tensor
