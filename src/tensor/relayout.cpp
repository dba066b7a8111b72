// SPDX-License-Identifier: MIT
// Dense arrays from one dimension order to another.
#include "tensor/relayout.hpp"

#include "tensor/capacity.hpp"

#include <algorithm>
#include <numeric>

namespace cyclotron::tensor {

std::vector<int> row_major(int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> column_major(int rank) {
  std::vector<int> order = row_major(rank);
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& dims, const std::vector<int>& order) {
  std::vector<std::int64_t> strides(dims.size());
  std::int64_t step = 1;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    strides[static_cast<std::size_t>(*d)] = step;
    step = saturating_product(step, dims[static_cast<std::size_t>(*d)]);
  }
  return strides;
}

namespace {

// Counts through the target in its own order; `source` follows along by strides.
template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<std::int64_t>& dims,
                        const std::vector<std::int64_t>& source_strides, const std::vector<int>& to) {
  std::vector<std::int64_t> extent, stride;
  for (int d : to) {
    extent.push_back(dims[static_cast<std::size_t>(d)]);
    stride.push_back(source_strides[static_cast<std::size_t>(d)]);
  }
  std::vector<T> result(values.size());
  std::vector<std::int64_t> at(to.size(), 0);
  std::int64_t source = 0;
  for (T& element : result) {
    element = values[static_cast<std::size_t>(source)];
    for (std::size_t l = to.size(); l-- > 0;) {
      source += stride[l];
      if (++at[l] < extent[l]) break;
      source -= stride[l] * extent[l];
      at[l] = 0;
    }
  }
  return result;
}

} // namespace

Values relayout(Values values, const std::vector<std::int64_t>& dims, const std::vector<int>& from,
                const std::vector<int>& to) {
  if (from == to || size_of(values) <= 1) return values;
  const std::vector<std::int64_t> strides = strides_of(dims, from);
  return std::visit([&](const auto& v) -> Values { return permuted(v, dims, strides, to); }, values);
}

} // namespace cyclotron::tensor
