// SPDX-License-Identifier: MIT
#include "driver/split_tensor.hpp"

namespace cyclotron::driver {
namespace {

// A dense level of a last tile goes on beyond the end of the dimension; there it has only zeros.
void drop_beyond_end(tensor::Entries& entries) {
  const auto inside = [&](std::size_t e) {
    for (std::size_t d = 0; d < entries.dims.size(); ++d)
      if (entries.coordinates[d][e] >= entries.dims[d]) return false;
    return true;
  };
  std::size_t kept = 0;
  std::visit(
      [&](auto& values) {
        for (std::size_t e = 0; e < values.size(); ++e) {
          if (!inside(e)) continue;
          for (auto& coordinates : entries.coordinates) coordinates[kept] = coordinates[e];
          values[kept++] = values[e];
        }
        values.resize(kept);
      },
      entries.values);
  for (auto& coordinates : entries.coordinates) coordinates.resize(kept);
}

} // namespace

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
  drop_beyond_end(whole);
  return tensor::pack(std::move(whole), format, diagnostics);
}

} // namespace cyclotron::driver
