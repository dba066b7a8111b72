// SPDX-License-Identifier: MIT
// Value arrays of the five types, and tensors of zeros.
#include "support/memory.hpp"
#include "tensor/capacity.hpp"
#include "tensor/tensor.hpp"

#include <algorithm>

namespace cyclotron::tensor {

namespace {

template <class T> std::vector<T> zeros_of(std::size_t count) {
  std::vector<T> list;
  reserve_pages(list, count);
  list.resize(count);
  return list;
}

} // namespace

Values make_values(ValueType type, std::size_t count) {
  switch (type) {
  case ValueType::f64: return zeros_of<double>(count);
  case ValueType::f32: return zeros_of<float>(count);
  case ValueType::i32: return zeros_of<std::int32_t>(count);
  case ValueType::i64: return zeros_of<std::int64_t>(count);
  case ValueType::boolean: return zeros_of<std::uint8_t>(count);
  }
  bug("unknown value type");
}

ValueType type_of(const Values& values) {
  constexpr ValueType types[] = {ValueType::f64, ValueType::f32, ValueType::i32, ValueType::i64, ValueType::boolean};
  return types[values.index()];
}

std::size_t size_of(const Values& values) {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

double float_at(const Values& values, std::int64_t position) {
  return std::visit([&](const auto& v) { return static_cast<double>(v[static_cast<std::size_t>(position)]); }, values);
}

std::int64_t integer_at(const Values& values, std::int64_t position) {
  return std::visit([&](const auto& v) { return static_cast<std::int64_t>(v[static_cast<std::size_t>(position)]); },
                    values);
}

std::int64_t nonzeros(const Tensor& tensor) {
  return std::visit([](const auto& v) { return std::count_if(v.begin(), v.end(), [](auto x) { return x != 0; }); },
                    tensor.values);
}

std::int64_t entry_count(const Level& level, std::int64_t parents) {
  const LevelProperties& has = properties_of(level.kind);
  if (has.full) return parents * level.size;
  if (has.coordinates) return static_cast<std::int64_t>(level.coordinates.size());
  return level.positions.empty() ? 0 : level.positions.back();
}

std::optional<Tensor> zeros(std::vector<std::int64_t> dims, ValueType type, std::string_view what,
                            Diagnostics& diagnostics) {
  const std::int64_t count = element_count(dims);
  const std::string name = what.empty() ? "" : "`" + std::string(what) + "`, ";
  if (!enough_memory(count, size_of(type), name + describe(dims, type), diagnostics)) return std::nullopt;
  Tensor tensor;
  tensor.format = dense_format(static_cast<int>(dims.size()));
  for (std::int64_t size : dims) tensor.levels.push_back({LevelKind::dense, size, {}, {}, {}});
  tensor.values = make_values(type, static_cast<std::size_t>(count));
  tensor.dims = std::move(dims);
  return tensor;
}

} // namespace cyclotron::tensor
