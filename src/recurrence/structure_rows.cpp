// SPDX-License-Identifier: MIT
// A row is the union of sorted lists, most of which stand in an operand as they are.
#include "recurrence/structure_rows.hpp"

#include "recurrence/structure_union.hpp"
#include "recurrence/structure_walk.hpp"
#include "support/memory.hpp"

namespace cyclotron::recurrence::structure {

namespace {

using tensor::LevelKind;
using tensor::Tensor;

class Rows {
public:
  Rows(const SparseTensor& head, std::vector<Walk> walks)
      : walks_(std::move(walks)), live_(head.dims.size()), found_(walks_.size()),
        row_(head.dims[as_size(head.decl->format.order.back())]) {
    result_.dims = head.dims;
    result_.format = head.decl->format;
    for (std::size_t l = 0; l < head.dims.size(); ++l) {
      const LevelKind kind = result_.format.levels[l];
      result_.levels.push_back({kind, head.dims[as_size(result_.format.order[l])], {}, {}, {}});
      if (properties_of(kind).listed()) result_.levels[l].positions.push_back(0);
    }
    for (std::size_t w = 0; w < walks_.size(); ++w) live_[0].push_back(w);
  }

  Tensor run() {
    reserve();
    if (std::all_of(walks_.begin(), walks_.end(), [&](const Walk& w) { return w.is_rows_of(result_); })) unite_rows();
    else enter(0);
    result_.levels.back().coordinates.resize(as_size(used_));
    return std::move(result_);
  }

private:
  // Room that is not used costs nothing; to move what is there as it grows does.
  void reserve() {
    std::size_t most = 0;
    for (const Walk& w : walks_)
      if (w.ends() && w.steps() == result_.levels.size()) most += as_size(w.stored());
    if (most > 0) reserve_pages(result_.levels.back().coordinates, most + 1024);
    std::size_t parents = 1;
    for (tensor::Level& l : result_.levels) {
      if (is_full(l.kind)) {
        parents *= as_size(l.size);
        continue;
      }
      l.positions.reserve(parents + 1);
      break;
    }
  }

  // Rows of all operands stand at the same number: nothing is looked for.
  void unite_rows() {
    std::int64_t rows = 1;
    for (std::size_t l = 0; l + 1 < result_.levels.size(); ++l) rows *= result_.levels[l].size;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (const Walk& w : walks_) {
        const Cursor& list = w.list();
        row_.add(list.coordinates + list.positions[r], list.positions[r + 1] - list.positions[r]);
      }
      done_ = static_cast<double>(r + 1) / static_cast<double>(rows);
      finish_row();
    }
  }

  // All that lies under one node of the level above; whether there is something.
  bool enter(std::size_t depth) {
    if (depth + 1 == result_.levels.size()) return make_row();
    for (std::size_t w : live_[depth]) walks_[w].open(depth);
    tensor::Level& level = result_.levels[depth];
    if (is_full(level.kind)) {
      for (std::int64_t c = 0; c < level.size; ++c) {
        live_[depth + 1].clear();
        for (std::size_t w : live_[depth])
          if (walks_[w].seek(depth, c) == c) {
            walks_[w].enter(depth, c);
            live_[depth + 1].push_back(w);
          }
        if (depth == 0) done_ = static_cast<double>(c + 1) / static_cast<double>(level.size);
        enter(depth + 1);
      }
      return true;
    }
    const std::size_t before = level.coordinates.size();
    for (std::int64_t c = next(depth, 0); c >= 0; c = next(depth, c + 1)) {
      live_[depth + 1].clear();
      for (std::size_t w : live_[depth])
        if (found_[w] == c) {
          walks_[w].enter(depth, c);
          live_[depth + 1].push_back(w);
        }
      if (depth == 0) done_ = static_cast<double>(c + 1) / static_cast<double>(level.size);
      if (enter(depth + 1)) level.coordinates.push_back(c);
      else result_.levels[depth + 1].positions.pop_back();
    }
    level.positions.push_back(static_cast<std::int64_t>(level.coordinates.size()));
    return level.coordinates.size() > before;
  }

  // The first coordinate from `from` on that any rule has; -1 where there is none.
  std::int64_t next(std::size_t depth, std::int64_t from) {
    std::int64_t least = -1;
    for (std::size_t w : live_[depth]) {
      found_[w] = walks_[w].seek(depth, from);
      if (found_[w] >= 0 && (least < 0 || found_[w] < least)) least = found_[w];
    }
    return least;
  }

  bool make_row() {
    const std::size_t depth = result_.levels.size() - 1;
    for (std::size_t w : live_[depth]) gather(walks_[w], depth);
    return finish_row();
  }

  // Of the lists that were added; whether there is something.
  bool finish_row() {
    tensor::Level& level = result_.levels.back();
    make_room(level.coordinates);
    const std::int64_t count = row_.write_to(level.coordinates.data() + used_);
    used_ += count;
    level.positions.push_back(used_);
    return count > 0;
  }

  // The list is longer than what is used of it, by as little as stays in the cache. It grows to what all rows will need
  // if they are like those before: to move what is there takes time, room that is not used does not.
  void make_room(std::vector<std::int64_t>& list) const {
    const std::size_t needed = as_size(used_ + row_.most());
    if (needed <= list.size()) return;
    const std::size_t size = needed + 1024;
    if (size > list.capacity()) {
      const auto least = static_cast<double>(size);
      reserve_pages(
          list, static_cast<std::size_t>(std::clamp(1.05 * least / std::max(done_, 1e-9), 1.5 * least, 16 * least)));
    }
    list.resize(size);
  }

  // The lists of last coordinates that a rule has for this row.
  void gather(Walk& walk, std::size_t step) {
    walk.open(step);
    if (step < walk.last()) {
      for (std::int64_t v = walk.seek(step, 0); v >= 0; v = walk.seek(step, v + 1)) {
        walk.enter(step, v);
        gather(walk, step + 1);
      }
      return;
    }
    if (walk.ends()) {
      const Cursor& list = walk.list();
      row_.add(list.coordinates + list.at, list.end - list.at);
      return;
    }
    row_.begin_own();
    for (std::int64_t v = walk.seek(step, 0); v >= 0; v = walk.seek(step, v + 1)) {
      walk.enter(step, v);
      if (walk.has_more(step + 1)) row_.add_own(v);
    }
    row_.end_own();
  }

  Tensor result_;
  std::vector<Walk> walks_;
  std::vector<std::vector<std::size_t>> live_; // per level: the rules that have something there
  std::vector<std::int64_t> found_;            // per rule
  Union row_;
  std::int64_t used_ = 0; // of the last level's coordinates
  double done_ = 1;       // of the first level
};

} // namespace

std::optional<Tensor> rows_of(const SparseTensor& head, const std::vector<const Rule*>& rules, const Stored& stored) {
  if (rules.empty() || !is_nested(head.decl->format)) return std::nullopt;
  std::vector<Walk> walks;
  for (const Rule* rule : rules) {
    std::vector<const Tensor*> operands;
    for (const Atom& a : rule->body) {
      const Tensor* operand = stored(a.relation);
      if (!operand || (!is_nested(operand->format) && !is_list(operand->format))) return std::nullopt;
      operands.push_back(operand);
    }
    const auto order = order_of(head, *rule, operands);
    if (!order) return std::nullopt;
    walks.emplace_back(*order, operands);
  }
  return Rows(head, std::move(walks)).run();
}

} // namespace cyclotron::recurrence::structure
