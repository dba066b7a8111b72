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
    // What is left of coordinates, and of their number, after the parts before.
    std::vector<std::int64_t> rest = std::move(whole.coordinates[d]);
    std::int64_t count = whole.dims[d];
    for (const std::int64_t size : split[d]) {
      parts.dims.push_back((count + size - 1) / size);
      count = size;
      auto& quotients = parts.coordinates.emplace_back(rest);
      for (std::int64_t& c : quotients) c /= size;
      for (std::int64_t& c : rest) c %= size;
    }
    parts.dims.push_back(count);
    parts.coordinates.push_back(std::move(rest));
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
    auto& coordinates = whole.coordinates.emplace_back(parts.coordinates[part].size(), 0);
    for (std::size_t p = 0; p <= split[d].size(); ++p, ++part) {
      const std::int64_t stride = p < split[d].size() ? split[d][p] : 1;
      for (std::size_t e = 0; e < coordinates.size(); ++e) coordinates[e] += stride * parts.coordinates[part][e];
    }
  }
  drop_beyond_end(whole);
  return tensor::pack(std::move(whole), format, diagnostics);
}

} // namespace cyclotron::driver
