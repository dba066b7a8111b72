// SPDX-License-Identifier: MIT
// Stored tensors back to entries, and from one format to another.
#include "tensor/capacity.hpp"
#include "tensor/relayout.hpp"
#include "tensor/tensor.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>

namespace cyclotron::tensor {

namespace {

// The stored entries whose values pass the test.
template <class Keep> Entries collect(const Tensor& tensor, std::int64_t count, Keep keep) {
  Entries entries;
  entries.dims = tensor.dims;
  entries.coordinates.resize(tensor.dims.size());
  for (auto& column : entries.coordinates) column.reserve(static_cast<std::size_t>(count));
  entries.values = make_values(tensor.type());
  std::visit(
      [&](auto& values) {
        const auto& stored = std::get<std::decay_t<decltype(values)>>(tensor.values);
        values.reserve(static_cast<std::size_t>(count));
        walk(tensor, [&](std::int64_t position, const std::int64_t* at) {
          const auto value = stored[static_cast<std::size_t>(position)];
          if (!keep(value)) return;
          for (std::size_t d = 0; d < entries.coordinates.size(); ++d) entries.coordinates[d].push_back(at[d]);
          values.push_back(value);
        });
      },
      entries.values);
  return entries;
}

} // namespace

Entries unpack(const Tensor& tensor) {
  return collect(tensor, tensor.stored(), [](auto) { return true; });
}

std::optional<Tensor> convert(const Tensor& tensor, const Format& format, Diagnostics& diagnostics) {
  const std::string what =
      fmt::format("converting {} to format `{}`", describe(tensor.dims, tensor.type()), to_string(format));
  if (is_dense(tensor.format) && is_dense(format) && problem_of(format).empty() && format.rank() == tensor.rank()) {
    if (!enough_memory(tensor.stored(), size_of(tensor.type()), what, diagnostics)) return std::nullopt;
    Entries entries;
    entries.dims = tensor.dims;
    entries.dense = true;
    entries.values = relayout(tensor.values, tensor.dims, tensor.format.order, row_major(tensor.rank()));
    return pack(std::move(entries), format, diagnostics);
  }
  const std::int64_t count = nonzeros(tensor);
  if (!enough_memory(count, 8 * tensor.rank() + 8, what, diagnostics)) return std::nullopt;
  return pack(collect(tensor, count, [](auto value) { return value != 0; }), format, diagnostics);
}

} // namespace cyclotron::tensor
