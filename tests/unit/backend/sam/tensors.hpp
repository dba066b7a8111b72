// SPDX-License-Identifier: MIT
// Small tensors, written down.
#pragma once

#include "tensor/tensor.hpp"

#include <utility>
#include <vector>

namespace cyclotron::sam {

using Listed = std::vector<std::pair<std::vector<std::int64_t>, double>>;

// All levels compressed, in the order of the dimensions.
inline tensor::Tensor sparse(std::vector<std::int64_t> dims, const Listed& listed) {
  Sources sources;
  Diagnostics diagnostics(sources);
  tensor::Format format;
  tensor::Entries entries;
  entries.dims = std::move(dims);
  entries.coordinates.resize(entries.dims.size());
  for (int d = 0; d < static_cast<int>(entries.dims.size()); ++d) {
    format.levels.push_back(tensor::LevelKind::compressed);
    format.order.push_back(d);
  }
  std::vector<double> values;
  for (const auto& [at, value] : listed) {
    for (std::size_t d = 0; d < at.size(); ++d) entries.coordinates[d].push_back(at[d]);
    values.push_back(value);
  }
  entries.values = std::move(values);
  return *tensor::pack(std::move(entries), format, diagnostics);
}

} // namespace cyclotron::sam
