// SPDX-License-Identifier: MIT
// Between tensors and lists of keys. The usual formats are read and built directly, since for a product of sparse
// matrices that is half of the work; all others go by way of entries.
#include "recurrence/structure_solve.hpp"
#include "recurrence/structure_walk.hpp"
#include "tensor/capacity.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::recurrence::structure {

namespace {

using tensor::LevelKind;

std::string described(const SparseTensor& tensor) {
  return fmt::format("the structure of `{}`", tensor.decl->name.name);
}

tensor::Tensor build_list(const std::vector<Key>& keys, const Packing& packing, const SparseTensor& like) {
  tensor::Tensor result{like.dims, like.decl->format, {}, tensor::make_values(like.decl->type, keys.size())};
  for (std::size_t l = 0; l < like.dims.size(); ++l) {
    const int d = result.format.order[l];
    tensor::Level level{result.format.levels[l], like.dims[as_size(d)], {}, {}, {}};
    if (l == 0) level.positions = {0, static_cast<std::int64_t>(keys.size())};
    level.coordinates.reserve(keys.size());
    for (Key key : keys) level.coordinates.push_back(packing.coordinate(key, d));
    result.levels.push_back(std::move(level));
  }
  return result;
}

class Builder {
public:
  Builder(std::vector<Key> keys, const Packing& packing, const SparseTensor& like)
      : keys_(std::move(keys)), packing_(packing), like_(like) {}

  tensor::Tensor run() {
    tensor::Tensor result;
    result.dims = like_.dims;
    result.format = like_.decl->format;
    result.values = tensor::make_values(like_.decl->type, keys_.size());
    std::int64_t parents = 1;
    for (std::size_t l = 0; l < result.format.levels.size(); ++l) {
      const int d = result.format.order[l];
      tensor::Level level{result.format.levels[l], like_.dims[as_size(d)], {}, {}, {}};
      if (is_full(level.kind)) parents *= level.size;
      else if (l == 0 || is_full(result.format.levels[l - 1])) level.positions = counts(l, parents);
      result.levels.push_back(std::move(level));
    }
    for (std::size_t l = 0; l < result.levels.size(); ++l)
      if (properties_of(result.levels[l].kind).listed() && l + 1 < result.levels.size())
        add_inner(result.levels[l], result.levels[l + 1], packing_.shift(result.format.order[l]),
                  result.format.order[l]);
    // The last coordinates are the low bits of the keys, whose memory they take over.
    tensor::Level& last = result.levels.back();
    for (Key& key : keys_) key = packing_.coordinate(key, result.format.order.back());
    last.coordinates = std::move(keys_);
    return result;
  }

private:
  // Where the children of each parent begin, for the first compressed level: parents are counted through.
  std::vector<std::int64_t> counts(std::size_t l, std::int64_t parents) const {
    std::vector<std::int64_t> positions(as_size(parents + 1), 0);
    const std::vector<int>& order = packing_.order();
    const int shift = packing_.shift(order[l]);
    const bool is_last = l + 1 == order.size();
    Key previous = -1;
    for (Key key : keys_) {
      if (!is_last && key >> shift == previous) continue;
      previous = key >> shift;
      std::int64_t parent = 0;
      for (std::size_t above = 0; above < l; ++above)
        parent = parent * like_.dims[as_size(order[above])] + packing_.coordinate(key, order[above]);
      ++positions[as_size(parent + 1)];
    }
    std::partial_sum(positions.begin(), positions.end(), positions.begin());
    return positions;
  }

  // The coordinates of a level above another compressed one, and where the children of each begin.
  void add_inner(tensor::Level& level, tensor::Level& below, int shift, int dimension) const {
    const std::vector<int>& order = packing_.order();
    const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), dimension) - order.begin());
    const bool below_is_last = at + 2 == order.size();
    const int below_shift = packing_.shift(order[at + 1]);
    Key previous = -1, previous_below = -1;
    std::int64_t children = 0;
    for (Key key : keys_) {
      if (key >> shift != previous) {
        level.coordinates.push_back(packing_.coordinate(key, dimension));
        below.positions.push_back(children);
        previous = key >> shift;
      }
      if (below_is_last || key >> below_shift != previous_below) ++children;
      previous_below = key >> below_shift;
    }
    below.positions.push_back(children);
  }

  std::vector<Key> keys_;
  const Packing& packing_;
  const SparseTensor& like_;
};

// Goes through the levels as tensor::walk does, with the key so far in place of coordinates.
class Reader {
public:
  Reader(const tensor::Tensor& tensor, const Packing& packing) : tensor_(tensor), packing_(packing) {}

  void enter(std::size_t depth, std::int64_t parent, Key key) {
    const tensor::Level& level = tensor_.levels[depth];
    const int shift = packing_.shift(tensor_.format.order[depth]);
    const bool is_last = depth + 1 == tensor_.levels.size();
    if (is_full(level.kind)) {
      for (std::int64_t c = 0; c < level.size; ++c) enter(depth + 1, parent * level.size + c, key | c << shift);
      return;
    }
    const std::int64_t last = level.positions[as_size(parent + 1)];
    for (std::int64_t p = level.positions[as_size(parent)]; p < last; ++p) {
      const Key longer = key | level.coordinates[as_size(p)] << shift;
      if (is_last) keys.push_back(longer);
      else enter(depth + 1, p, longer);
    }
  }

  std::vector<Key> keys;

private:
  const tensor::Tensor& tensor_;
  const Packing& packing_;
};

} // namespace

std::vector<Key> keys_of(const tensor::Tensor& tensor, const Packing& packing) {
  if (tensor.stored() == 0) return {};
  Reader reader(tensor, packing);
  reader.keys.reserve(as_size(tensor.stored()));
  if (is_nested(tensor.format)) reader.enter(0, 0, 0);
  else tensor::walk(tensor, [&](std::int64_t, const std::int64_t* at) { reader.keys.push_back(packing.pack(at)); });
  return std::move(reader.keys);
}

bool has_room_for_parents(const SparseTensor& like, Diagnostics& diagnostics) {
  const tensor::Format& format = like.decl->format;
  std::int64_t parents = 1;
  for (std::size_t l = 0; l < format.levels.size() && is_full(format.levels[l]); ++l)
    parents = tensor::saturating_product(parents, like.dims[as_size(format.order[l])]);
  return tensor::enough_memory(parents, 8, described(like), diagnostics);
}

bool has_room_for_entries(const SparseTensor& like, std::int64_t count, Diagnostics& diagnostics) {
  return tensor::enough_memory(count, tensor::size_of(like.decl->type) + 16, described(like), diagnostics);
}

std::optional<tensor::Tensor> tensor_of(std::vector<Key> keys, const Packing& packing, const SparseTensor& like,
                                        Diagnostics& diagnostics) {
  const std::string what = described(like);
  const auto count = static_cast<std::int64_t>(keys.size());
  const tensor::Format& format = like.decl->format;
  if (is_nested(format)) {
    if (!has_room_for_parents(like, diagnostics) || !has_room_for_entries(like, count, diagnostics))
      return std::nullopt;
    return Builder(std::move(keys), packing, like).run();
  }
  const auto rank = static_cast<std::int64_t>(like.dims.size());
  if (!tensor::enough_memory(count, 8 * rank + tensor::size_of(like.decl->type), what, diagnostics))
    return std::nullopt;
  if (is_list(format)) return build_list(keys, packing, like);
  tensor::Entries entries;
  entries.dims = like.dims;
  for (int d = 0; d < static_cast<int>(rank); ++d) {
    std::vector<std::int64_t>& column = entries.coordinates.emplace_back(keys.size());
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = packing.coordinate(keys[i], d);
  }
  entries.values = tensor::make_values(like.decl->type, keys.size());
  return tensor::pack(std::move(entries), format, diagnostics);
}

} // namespace cyclotron::recurrence::structure
