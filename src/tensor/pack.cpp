// SPDX-License-Identifier: MIT
// Builds level storage from entries, level by level: every entry carries the position of its parent, which each
// level turns into the position of its own child.
#include "tensor/capacity.hpp"
#include "tensor/relayout.hpp"
#include "tensor/sort.hpp"
#include "tensor/tensor.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::tensor {

namespace {

using Column = std::vector<std::int64_t>;

class Packer {
public:
  Packer(Entries entries, const Format& format, Diagnostics& diagnostics)
      : entries_(std::move(entries)), diagnostics_(diagnostics), at_(index(entries_.count()), 0) {
    tensor_.dims = entries_.dims;
    tensor_.format = format;
  }

  std::optional<Tensor> run() {
    for (std::size_t l = 0; l < tensor_.format.levels.size(); ++l)
      if (!add_level(l)) return std::nullopt;
    if (!place_values()) return std::nullopt;
    return std::move(tensor_);
  }

private:
  const Column& column(std::size_t level) const { return entries_.coordinates[index(tensor_.format.order[level])]; }

  bool room(std::int64_t count, std::int64_t bytes_each) {
    return enough_memory(
        count, bytes_each,
        fmt::format("{} in format `{}`", describe(tensor_.dims, type_of(entries_.values)), to_string(tensor_.format)),
        diagnostics_,
        is_dense(tensor_.format) ? "use a sparse format such as `csr` or `coo`, or smaller sizes"
                                 : "use a format without dense levels, such as `dcsr` or `coo`, or smaller sizes");
  }

  bool add_level(std::size_t l) {
    Level level;
    level.kind = tensor_.format.levels[l];
    level.size = tensor_.dims[index(tensor_.format.order[l])];
    bool fits = true;
    switch (level.kind) {
    case LevelKind::dense: add_dense(level, column(l)); break;
    case LevelKind::compressed: fits = add_compressed(level, l); break;
    case LevelKind::singleton: add_singleton(level, column(l)); break;
    case LevelKind::bitvector: fits = add_bitvector(level, column(l)); break;
    }
    tensor_.levels.push_back(std::move(level));
    return fits;
  }

  void add_dense(const Level& level, const Column& coordinates) {
    parents_ = saturating_product(parents_, level.size);
    if (parents_ == too_many) return; // refused as soon as something must be stored for each
    for (std::size_t i = 0; i < at_.size(); ++i) at_[i] = at_[i] * level.size + coordinates[i];
  }

  // Singleton levels below belong to the same step: a new child begins where any of their coordinates changes.
  bool add_compressed(Level& level, std::size_t l) {
    if (!room(parents_ == too_many ? too_many : parents_ + 1, 8)) return false;
    std::vector<const Column*> group = {&column(l)};
    while (l + group.size() < tensor_.format.levels.size() &&
           properties_of(tensor_.format.levels[l + group.size()]).branchless)
      group.push_back(&column(l + group.size()));
    level.positions.assign(index(parents_ + 1), 0);
    level.coordinates.reserve(at_.size());
    std::int64_t previous_parent = -1;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const bool fresh = at_[i] != previous_parent || std::any_of(group.begin(), group.end(), [&](const Column* c) {
                           return (*c)[i] != (*c)[i - 1];
                         });
      previous_parent = at_[i];
      if (fresh) {
        level.coordinates.push_back((*group[0])[i]);
        ++level.positions[index(at_[i] + 1)];
      }
      at_[i] = static_cast<std::int64_t>(level.coordinates.size()) - 1;
    }
    std::partial_sum(level.positions.begin(), level.positions.end(), level.positions.begin());
    parents_ = static_cast<std::int64_t>(level.coordinates.size());
    return true;
  }

  void add_singleton(Level& level, const Column& coordinates) {
    level.coordinates.resize(index(parents_));
    for (std::size_t i = 0; i < at_.size(); ++i) level.coordinates[index(at_[i])] = coordinates[i];
  }

  bool add_bitvector(Level& level, const Column& coordinates) {
    const std::int64_t words = words_of(level.size);
    if (!room(saturating_product(parents_, words), 8)) return false;
    if (!room(parents_ == too_many ? too_many : parents_ + 1, 8)) return false;
    level.bits.assign(index(parents_ * words), 0);
    level.positions.assign(index(parents_ + 1), 0);
    std::int64_t children = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      std::uint64_t& word = level.bits[index(at_[i] * words + coordinates[i] / 64)];
      const std::uint64_t bit = std::uint64_t{1} << (coordinates[i] % 64);
      if (!(word & bit)) {
        word |= bit;
        ++level.positions[index(at_[i] + 1)];
        ++children;
      }
      at_[i] = children - 1;
    }
    std::partial_sum(level.positions.begin(), level.positions.end(), level.positions.begin());
    parents_ = children;
    return true;
  }

  bool place_values() {
    if (parents_ == entries_.count() && !tensor_.levels.empty() && !is_full(tensor_.levels.back().kind)) {
      tensor_.values = std::move(entries_.values); // one value per entry, already in order
      return true;
    }
    const ValueType type = type_of(entries_.values);
    if (!room(parents_, size_of(type))) return false;
    tensor_.values = make_values(type, index(parents_));
    std::visit(
        [&](auto& values) {
          const auto& given = std::get<std::decay_t<decltype(values)>>(entries_.values);
          for (std::size_t i = 0; i < at_.size(); ++i) values[index(at_[i])] = given[i];
        },
        tensor_.values);
    return true;
  }

  Entries entries_;
  Diagnostics& diagnostics_;
  Tensor tensor_;
  std::vector<std::int64_t> at_; // each entry's position in the level last built
  std::int64_t parents_ = 1;     // how many positions that level has
};

// Says what is wrong with the entries themselves: a producer's mistake, but one that must not corrupt memory.
std::string problem_of(const Entries& entries) {
  for (std::int64_t size : entries.dims)
    if (size < 0) return fmt::format("a dimension has the negative size {}", size);
  if (entries.dense) {
    if (entries.count() != element_count(entries.dims))
      return fmt::format("{} values are given for all elements of a tensor of size {}", entries.count(),
                         describe(entries.dims));
    return "";
  }
  if (entries.coordinates.size() != entries.dims.size())
    return fmt::format("coordinates are given in {} dimensions of {}", entries.coordinates.size(), entries.dims.size());
  for (std::size_t d = 0; d < entries.dims.size(); ++d) {
    if (static_cast<std::int64_t>(entries.coordinates[d].size()) != entries.count())
      return fmt::format("{} coordinates in dimension {} for {} values", entries.coordinates[d].size(), d,
                         entries.count());
    for (std::int64_t c : entries.coordinates[d])
      if (c < 0 || c >= entries.dims[d])
        return fmt::format("coordinate {} is outside dimension {} of size {}", c, d, entries.dims[d]);
  }
  return "";
}

Tensor pack_dense(Entries entries, const Format& format) {
  Tensor tensor;
  tensor.format = format;
  for (int d : format.order) tensor.levels.push_back({LevelKind::dense, entries.dims[index(d)], {}, {}, {}});
  const int rank = static_cast<int>(entries.dims.size());
  tensor.values = relayout(std::move(entries.values), entries.dims, row_major(rank), format.order);
  tensor.dims = std::move(entries.dims);
  return tensor;
}

} // namespace

std::optional<Tensor> pack(Entries entries, const Format& format, Diagnostics& diagnostics) {
  std::string problem = problem_of(format);
  if (problem.empty() && format.levels.size() != entries.dims.size())
    problem = fmt::format("a format of {} levels cannot hold {}", format.levels.size(),
                          describe(entries.dims, type_of(entries.values)));
  if (problem.empty()) problem = problem_of(entries);
  if (!problem.empty()) {
    diagnostics.error(problem);
    return std::nullopt;
  }
  if (auto* bools = std::get_if<std::vector<std::uint8_t>>(&entries.values))
    for (std::uint8_t& b : *bools) b = b != 0 ? 1 : 0;
  if (entries.dense && is_dense(format)) return pack_dense(std::move(entries), format);
  if (entries.dense) {
    const std::int64_t kept = std::visit(
        [](const auto& v) { return std::count_if(v.begin(), v.end(), [](auto x) { return x != 0; }); }, entries.values);
    if (!enough_memory(kept, 8 * format.rank(), describe(entries.dims, type_of(entries.values)), diagnostics,
                       "use the format `dense`, or smaller sizes"))
      return std::nullopt;
    drop_zeros(entries);
  }
  if (!sort_and_sum(entries, format.order, diagnostics)) return std::nullopt;
  return Packer(std::move(entries), format, diagnostics).run();
}

} // namespace cyclotron::tensor
