// SPDX-License-Identifier: MIT
#include "api/copy.hpp"

#include "api/raise.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

namespace cyclotron::api {

namespace {

using detail::Array;
using tensor::LevelKind;

std::vector<std::int64_t> widened(const Array& a, std::int64_t count, int bits) {
  if (bits == 64) {
    const auto* from = static_cast<const std::int64_t*>(a.data);
    return {from, from + count};
  }
  const auto* from = static_cast<const std::int32_t*>(a.data);
  return {from, from + count};
}

std::vector<std::int32_t> narrowed(const std::vector<std::int64_t>& list) { return {list.begin(), list.end()}; }

bool fits_narrow(const tensor::Tensor& t) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (const tensor::Level& l : t.levels)
    if (l.size > most || static_cast<std::int64_t>(l.coordinates.size()) > most ||
        (!l.positions.empty() && l.positions.back() > most))
      return false;
  return true;
}

tensor::Tensor tensor_of(const detail::Structure& s) {
  tensor::Tensor t;
  t.dims = s.dims;
  t.format = s.format;
  for (std::size_t l = 0; l < s.format.levels.size(); ++l) {
    tensor::Level level;
    level.kind = s.format.levels[l];
    level.size = s.dims[static_cast<std::size_t>(s.format.order[l])];
    if (!s.levels.empty()) {
      const Array positions = s.positions(l), coordinates = s.coordinates(l);
      level.positions = widened(positions, positions.count, s.index_bits);
      level.coordinates = widened(coordinates, coordinates.count, s.index_bits);
      level.bits = s.levels[l].bits;
    }
    t.levels.push_back(std::move(level));
  }
  t.values = tensor::make_values(tensor::ValueType::boolean, static_cast<std::size_t>(s.stored));
  return t;
}

} // namespace

tensor::Tensor copy_of(const BoundTensor& bound, bool with_values) {
  tensor::Tensor t;
  t.dims = bound.view.dims;
  t.format = bound.format;
  std::int64_t count = 1;
  for (std::size_t l = 0; l < t.format.levels.size(); ++l) {
    tensor::Level level;
    level.kind = t.format.levels[l];
    level.size = t.dims[static_cast<std::size_t>(t.format.order[l])];
    const int bits = bound.view.index_bits;
    const tensor::LevelProperties& has = properties_of(level.kind);
    if (has.full) count *= level.size;
    else {
      const detail::LevelArrays& own = bound.view.levels[l];
      if (has.bits) {
        const auto* words = static_cast<const std::uint64_t*>(own.bits.data);
        level.bits.assign(words, words + count * tensor::words_of(level.size));
      }
      if (has.positions) {
        level.positions = widened(own.positions, count + 1, bits);
        count = level.positions.back();
      }
      if (has.coordinates) level.coordinates = widened(own.coordinates, count, bits);
    }
    t.levels.push_back(std::move(level));
  }
  const auto stored = static_cast<std::size_t>(bound.stored);
  t.values = tensor::make_values(with_values ? bound.decl->type : tensor::ValueType::boolean, stored);
  if (with_values && stored > 0)
    std::visit([&](auto& v) { std::memcpy(v.data(), bound.values(), stored * sizeof v[0]); }, t.values);
  return t;
}

std::shared_ptr<const detail::Structure> structure_of(const std::string& name, tensor::Tensor found, int index_bits) {
  if (index_bits == 32 && !fits_narrow(found))
    raise(fmt::format("`{}` is too large for index arrays of 32 bits: it stores {} values", name, found.stored()),
          "give views with index arrays of 64 bits; where no input is sparse, set `Options::index_bits`");
  auto s = std::make_shared<detail::Structure>();
  s->name = name;
  s->type = found.type();
  s->format = found.format;
  s->format.region = tensor::Region::unspecified;
  s->dims = found.dims;
  s->index_bits = index_bits;
  s->stored = found.stored();
  for (tensor::Level& l : found.levels) {
    detail::LevelIndices& own = s->levels.emplace_back();
    own.bits = std::move(l.bits);
    if (index_bits == 64) {
      own.positions64 = std::move(l.positions);
      own.coordinates64 = std::move(l.coordinates);
    } else {
      own.positions32 = narrowed(l.positions);
      own.coordinates32 = narrowed(l.coordinates);
    }
  }
  return s;
}

void copy_values(const tensor::Tensor& from, const detail::Structure& structure, void* to) {
  std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        T* out = static_cast<T*>(to);
        if (tensor::is_dense(structure.format) && from.format.levels == structure.format.levels &&
            from.format.order == structure.format.order) {
          std::copy(values.begin(), values.end(), out);
          return;
        }
        tensor::walk(tensor_of(structure), [&](std::int64_t position, const std::int64_t* at) {
          const std::int64_t p = tensor::locate(from, at);
          out[position] = p < 0 ? T{} : values[static_cast<std::size_t>(p)];
        });
      },
      from.values);
}

} // namespace cyclotron::api
