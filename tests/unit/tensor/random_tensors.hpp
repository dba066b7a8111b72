// SPDX-License-Identifier: MIT
// Random entries and formats for property tests.
#pragma once

#include "tensor/tensor.hpp"

#include <rapidcheck.h>

#include <numeric>

namespace cyclotron::tensor {

inline Format random_format(int rank) {
  Format format = dense_format(rank);
  for (std::size_t l = 0; l < format.levels.size(); ++l) {
    std::vector<LevelKind> fitting;
    for (const LevelProperties& row : level_table) {
      if (!row.branchless) fitting.push_back(row.kind);
      else if (l > 0 && properties_of(format.levels[l - 1]).may_repeat) fitting.insert(fitting.end(), 2, row.kind);
    }
    format.levels[l] = fitting[*rc::gen::inRange<std::size_t>(0, fitting.size())];
    const auto other = *rc::gen::inRange<std::size_t>(0, l + 1);
    std::swap(format.order[l], format.order[other]);
  }
  return format;
}

inline ValueType random_type() {
  return *rc::gen::element(ValueType::f64, ValueType::f32, ValueType::i32, ValueType::i64, ValueType::boolean);
}

// Small whole values: sums are exact in every type. Coordinates repeat often.
inline Entries random_entries(int rank, ValueType type) {
  Entries entries;
  for (int d = 0; d < rank; ++d) entries.dims.push_back(*rc::gen::element<std::int64_t>(1, 2, 3, 5, 7, 1, 4, 70, 0));
  while (std::accumulate(entries.dims.begin(), entries.dims.end(), std::int64_t{1}, std::multiplies<>()) > 3000)
    for (std::int64_t& size : entries.dims) size = size > 2 ? size / 2 : size;
  const bool empty = std::count(entries.dims.begin(), entries.dims.end(), 0) > 0;
  const std::size_t count = empty ? 0 : *rc::gen::inRange<std::size_t>(0, 40);
  entries.coordinates.resize(entries.dims.size());
  entries.values = make_values(type, count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < entries.dims.size(); ++d)
      entries.coordinates[d].push_back(*rc::gen::inRange<std::int64_t>(0, entries.dims[d]));
    std::visit(
        [&](auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          values[i] = static_cast<T>(type == ValueType::boolean ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(-5, 6));
        },
        entries.values);
  }
  return entries;
}

} // namespace cyclotron::tensor
