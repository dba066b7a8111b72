// SPDX-License-Identifier: MIT
#include "pe/memory.hpp"

#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::pe {

using tensor::is_float;
using tensor::ValueType;

namespace {

Word word_at(const tensor::Values& values, std::int64_t position, ValueType type) {
  return is_float(type) ? tensor::real_word(tensor::float_at(values, position))
                        : tensor::whole_word(tensor::integer_at(values, position));
}

bool is_plain(const tensor::Tensor& t) {
  const tensor::Format plain = tensor::dense_format(t.rank());
  return t.format.levels == plain.levels && t.format.order == plain.order;
}

} // namespace

std::optional<MemoryImage> MemoryImage::make(const Program& program,
                                             const std::map<std::string, tensor::Tensor>& inputs,
                                             Diagnostics& diagnostics) {
  MemoryImage image;
  for (const Memory& m : program.tensors) {
    const std::int64_t count = tensor::element_count(m.dims);
    if (!tensor::enough_memory(count, sizeof(Word), fmt::format("`{}`", m.name), diagnostics, "use smaller sizes"))
      return std::nullopt;
    Block block{m.type, m.dims, m.block, {}};
    Word zero;
    zero.whole = 0; // also 0.0
    block.words.assign(static_cast<std::size_t>(count), zero);
    const auto given = inputs.find(m.name);
    if (!m.is_output && given == inputs.end()) {
      diagnostics.error(fmt::format("the array loads `{}`, but no such tensor is given", m.name));
      return std::nullopt;
    }
    if (!m.is_output) {
      if (given->second.dims != m.dims || given->second.type() != m.type) {
        diagnostics.error(fmt::format("the array was made for {} as `{}`, but it is {}",
                                      tensor::describe(m.dims, m.type), m.name,
                                      tensor::describe(given->second.dims, given->second.type())));
        return std::nullopt;
      }
      std::optional<tensor::Tensor> dense;
      if (!is_plain(given->second)) {
        dense = tensor::convert(given->second, tensor::dense_format(given->second.rank()), diagnostics);
        if (!dense) return std::nullopt;
      }
      const tensor::Values& values = dense ? dense->values : given->second.values;
      for (std::int64_t i = 0; i < count; ++i) block.words[static_cast<std::size_t>(i)] = word_at(values, i, m.type);
    }
    image.blocks_.push_back(std::move(block));
  }
  return image;
}

Word* MemoryImage::element(const MemoryAccess& access, const std::int64_t* frame) {
  Block& b = blocks_[static_cast<std::size_t>(access.tensor)];
  std::int64_t at = 0;
  for (std::size_t d = 0; d < b.dims.size(); ++d) {
    const std::int64_t index = d < access.indices.size() ? access.indices[d].evaluate(frame) : 0;
    if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(b.dims[d])) return nullptr;
    at = at * b.dims[d] + index;
  }
  return &b.words[static_cast<std::size_t>(at)];
}

std::optional<MemoryImage::Region> MemoryImage::region(const Block& b, const MemoryAccess& access,
                                                       const std::int64_t* frame) {
  Region r;
  for (std::size_t d = 0; d < b.dims.size(); ++d) {
    const std::int64_t index = d < access.indices.size() ? access.indices[d].evaluate(frame) : 0;
    const std::int64_t extent = std::max<std::int64_t>(b.tile[d], 1);
    const std::int64_t first = index * extent;
    if (index < 0 || first >= b.dims[d]) return std::nullopt;
    r.first.push_back(first);
    r.count.push_back(std::min(extent, b.dims[d] - first));
    if (b.tile[d] != 0) r.tile_dims.push_back(r.count.back());
  }
  return r;
}

// In row-major order; f(word).
template <class Words, class F> void MemoryImage::each_element(Words& b, const Region& r, F&& f) {
  std::vector<std::int64_t> at(r.first.size(), 0);
  while (true) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < at.size(); ++d) offset = offset * b.dims[d] + r.first[d] + at[d];
    f(b.words[static_cast<std::size_t>(offset)]);
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == r.count[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

TileRef MemoryImage::tile(const MemoryAccess& access, const std::int64_t* frame) const {
  const Block& b = blocks_[static_cast<std::size_t>(access.tensor)];
  const auto r = region(b, access, frame);
  if (!r) return nullptr;
  auto made = std::make_shared<recurrence::Tile>();
  made->dims = r->tile_dims;
  const bool floating = is_float(b.type);
  each_element(b, *r, [&](const Word& w) { made->values.push_back(floating ? w.real : static_cast<double>(w.whole)); });
  return made;
}

bool MemoryImage::store(const MemoryAccess& access, const std::int64_t* frame, const recurrence::Tile& tile) {
  Block& b = blocks_[static_cast<std::size_t>(access.tensor)];
  const auto r = region(b, access, frame);
  if (!r || (!tile.dims.empty() && tile.dims != r->tile_dims)) return false;
  const bool one = tile.dims.empty(), narrow = b.type == ValueType::f32;
  std::size_t next = 0;
  each_element(b, *r, [&](Word& w) {
    const double value = tile.values[one ? 0 : next++];
    w.real = narrow ? static_cast<double>(static_cast<float>(value)) : value;
  });
  return true;
}

std::optional<std::map<std::string, tensor::Tensor>> MemoryImage::outputs(const Program& program,
                                                                          Diagnostics& diagnostics) const {
  std::map<std::string, tensor::Tensor> list;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Memory& m = program.tensors[i];
    if (!m.is_output) continue;
    auto made = tensor::zeros(m.dims, m.type, m.name, diagnostics);
    if (!made) return std::nullopt;
    const std::vector<Word>& words = blocks_[i].words;
    std::visit(
        [&](auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          for (std::size_t j = 0; j < words.size(); ++j)
            values[j] = is_float(m.type) ? static_cast<T>(words[j].real) : static_cast<T>(words[j].whole);
        },
        made->values);
    list.emplace(m.name, std::move(*made));
  }
  return list;
}

} // namespace cyclotron::pe
