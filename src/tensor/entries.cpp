// SPDX-License-Identifier: MIT
// Dense entry lists made into coordinate lists.
#include "tensor/tensor.hpp"

#include <algorithm>

namespace cyclotron::tensor {

namespace {

// Adds one to row-major coordinates.
void step(std::vector<std::int64_t>& at, const std::vector<std::int64_t>& dims) {
  for (std::size_t d = at.size(); d-- > 0;) {
    if (++at[d] < dims[d]) return;
    at[d] = 0;
  }
}

// Keeps the values for which `keep` holds, and their coordinates.
template <class Keep> void filter(Entries& entries, Keep keep) {
  std::visit(
      [&](auto& values) {
        const auto kept = static_cast<std::size_t>(std::count_if(values.begin(), values.end(), keep));
        if (entries.dense) entries.coordinates.assign(entries.dims.size(), std::vector<std::int64_t>(kept));
        std::vector<std::int64_t> at(entries.dims.size(), 0);
        std::size_t next = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (keep(values[i])) {
            for (std::size_t d = 0; d < entries.coordinates.size(); ++d)
              entries.coordinates[d][next] = entries.dense ? at[d] : entries.coordinates[d][i];
            values[next++] = values[i];
          }
          if (entries.dense) step(at, entries.dims);
        }
        for (auto& column : entries.coordinates) column.resize(next);
        values.resize(next);
        values.shrink_to_fit();
      },
      entries.values);
  entries.dense = false;
}

} // namespace

void spell_out(Entries& entries) {
  if (entries.dense) filter(entries, [](auto) { return true; });
}

void drop_zeros(Entries& entries) {
  filter(entries, [](auto value) { return value != 0; });
}

} // namespace cyclotron::tensor
