// SPDX-License-Identifier: MIT
#include "driver/split_tensor.hpp"

namespace cyclotron::driver {

std::optional<tensor::Tensor> split_tensor(const tensor::Tensor& tensor, const lower::StreamSplit& split,
                                           const tensor::Format& format, Diagnostics& diagnostics) {
  tensor::Entries whole = tensor::unpack(tensor);
  tensor::spell_out(whole);
  tensor::Entries parts;
  parts.values = std::move(whole.values);
  for (std::size_t d = 0; d < split.size(); ++d) {
    if (split[d] == 0) {
      parts.dims.push_back(whole.dims[d]);
      parts.coordinates.push_back(std::move(whole.coordinates[d]));
      continue;
    }
    parts.dims.push_back((whole.dims[d] + split[d] - 1) / split[d]);
    parts.dims.push_back(split[d]);
    auto& quotients = parts.coordinates.emplace_back(whole.coordinates[d]);
    for (std::int64_t& c : quotients) c /= split[d];
    auto& remainders = parts.coordinates.emplace_back(std::move(whole.coordinates[d]));
    for (std::int64_t& c : remainders) c %= split[d];
  }
  return tensor::pack(std::move(parts), format, diagnostics);
}

std::optional<tensor::Tensor> join_tensor(const tensor::Tensor& tensor, const lower::StreamSplit& split,
                                          const std::vector<std::int64_t>& dims, const tensor::Format& format,
                                          Diagnostics& diagnostics) {
  tensor::Entries parts = tensor::unpack(tensor);
  if (tensor::is_dense(tensor.format)) tensor::drop_zeros(parts); // beyond the end there are only zeros
  tensor::spell_out(parts);
  tensor::Entries whole;
  whole.dims = dims;
  whole.values = std::move(parts.values);
  std::size_t part = 0;
  for (std::size_t d = 0; d < split.size(); ++d) {
    auto& coordinates = whole.coordinates.emplace_back(std::move(parts.coordinates[part++]));
    if (split[d] == 0) continue;
    for (std::size_t e = 0; e < coordinates.size(); ++e)
      coordinates[e] = coordinates[e] * split[d] + parts.coordinates[part][e];
    ++part;
  }
  return tensor::pack(std::move(whole), format, diagnostics);
}

} // namespace cyclotron::driver
