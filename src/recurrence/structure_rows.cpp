// SPDX-License-Identifier: MIT
// A rule is an order of its variables: first those of the row, then those that are summed over on the way to the last
// coordinate of the head, then that coordinate, then those of which one value is enough. Every operand is entered level
// by level in this order, so that what is left of it is always one fiber. A row is the union of sorted lists, most of
// which stand in an operand as they are.
#include "recurrence/structure_rows.hpp"

#include "recurrence/structure_union.hpp"
#include "support/memory.hpp"

#include <algorithm>

namespace cyclotron::recurrence::structure {

namespace {

using tensor::LevelKind;
using tensor::Tensor;

// The variable that a coordinate is, or -1.
int lone_variable_of(const LinearForm& form) {
  const bool plain = form.constant == 0 && form.terms.size() == 1 && form.terms[0].second == 1;
  return plain ? form.terms[0].first : -1;
}

// Where a variable stands in an operand.
struct Place {
  std::size_t atom = 0, level = 0;
};

struct Step {
  int variable = -1;
  std::vector<Place> places;
};

struct Order {
  std::vector<Step> steps; // the variables of the row, those on the way, the last coordinate, the others
  std::size_t last = 0;    // the step of the last coordinate
};

// Finds the order of a rule's variables, or that there is none.
class Ordering {
public:
  Ordering(const SparseTensor& head, const Rule& rule, const std::vector<const Tensor*>& operands)
      : head_(head), rule_(rule), operands_(operands) {}

  std::optional<Order> run() {
    if (!rule_.conditions.empty() || rule_.body.empty() || !read_head() || !read_atoms()) return std::nullopt;
    for (std::size_t l = 0; l + 1 < row_.size(); ++l)
      if (!place(row_[l])) return std::nullopt;
    while (!place(row_.back()))
      if (!place_any([&](int v) { return is_needed_for(v, row_.back()); })) return std::nullopt;
    order_.last = order_.steps.size() - 1;
    while (place_any([](int) { return true; })) continue;
    if (order_.steps.size() != places_.size()) return std::nullopt;
    for (std::size_t s = 0; s < order_.steps.size(); ++s)
      if (!is_cheap(s)) return std::nullopt;
    return std::move(order_);
  }

private:
  bool read_head() {
    for (int d : head_.decl->format.order) {
      const int v = lone_variable_of(rule_.head.at[as_size(d)]);
      if (v < 0 || std::find(row_.begin(), row_.end(), v) != row_.end()) return false;
      row_.push_back(v);
    }
    return true;
  }

  bool read_atoms() {
    for (std::size_t a = 0; a < rule_.body.size(); ++a) {
      const std::vector<int>& dimensions = operands_[a]->format.order;
      int above = -1;
      for (std::size_t l = 0; l < dimensions.size(); ++l) {
        const int v = lone_variable_of(rule_.body[a].at[as_size(dimensions[l])]);
        if (v < 0) return false;
        std::vector<Place>& places = places_[v];
        if (!places.empty() && places.back().atom == a) return false; // a diagonal
        places.push_back({a, l});
        if (above >= 0) after_[v].push_back(above);
        above = v;
      }
    }
    return std::all_of(row_.begin(), row_.end(), [&](int v) { return places_.count(v) != 0; });
  }

  bool is_placed(int v) const {
    return std::any_of(order_.steps.begin(), order_.steps.end(), [&](const Step& s) { return s.variable == v; });
  }

  // As the next, where all operands that have it are entered down to it.
  bool place(int v) {
    const std::vector<int>& above = after_[v];
    if (!std::all_of(above.begin(), above.end(), [&](int u) { return is_placed(u); })) return false;
    order_.steps.push_back({v, places_[v]});
    return true;
  }

  template <class F> bool place_any(F&& wanted) {
    for (const auto& [v, places] : places_)
      if (!is_placed(v) && wanted(v) && place(v)) return true;
    return false;
  }

  bool is_needed_for(int v, int later) {
    std::vector<int> list{later};
    for (std::size_t i = 0; i < list.size(); ++i)
      for (int u : after_[list[i]]) {
        if (u == v) return true;
        if (std::find(list.begin(), list.end(), u) == list.end()) list.push_back(u);
      }
    return false;
  }

  // Whether the values of a step's variable are few: those that are stored under what is known already. To go through
  // all rows of an operand for each row of another is worth it only where every pair of them is in the result.
  bool is_cheap(std::size_t s) const {
    if (s == 0) return true;
    const bool summed = order_.steps.size() > row_.size();
    for (const Place& p : order_.steps[s].places) {
      const bool dense = operands_[p.atom]->format.levels[p.level] == LevelKind::dense;
      if (!dense && (p.level > 0 || !summed)) return true;
      if (s < row_.size() - 1 && dense && p.level == s) return true; // its positions are as many
    }
    const std::vector<LevelKind>& levels = head_.decl->format.levels;
    return s < row_.size() - 1 && levels[s] == LevelKind::dense;
  }

  const SparseTensor& head_;
  const Rule& rule_;
  const std::vector<const Tensor*>& operands_;
  std::vector<int> row_; // the variables of the head, in storage order
  std::map<int, std::vector<Place>> places_;
  std::map<int, std::vector<int>> after_; // each variable only after these
  Order order_;
};

// The entries that share the coordinates so far: one, or a run of a coordinate list.
struct Node {
  std::int64_t begin = 0, end = 1;
};

// The children of one node of an operand, gone through from the first to the last.
struct Cursor {
  LevelKind kind = LevelKind::dense;
  bool repeats = false; // the same coordinate may follow again: a coordinate list
  const std::int64_t *positions = nullptr, *coordinates = nullptr;
  std::int64_t size = 0;
  const Node* above = nullptr;
  Node* below = nullptr;        // what is entered
  std::int64_t at = 0, end = 0; // dense: the position of the first child, the number of them

  void open() {
    if (kind == LevelKind::dense) {
      at = above->begin * size;
      end = size;
    } else if (kind == LevelKind::singleton) {
      at = above->begin;
      end = above->end;
    } else {
      at = positions[above->begin];
      end = positions[above->begin + 1];
    }
  }

  // To the first coordinate that is not less. Mostly it is near; where it is not, steps that double find it.
  void advance(std::int64_t coordinate) {
    if (at >= end || coordinates[at] >= coordinate) return;
    std::int64_t step = 1;
    for (; at + step < end && coordinates[at + step] < coordinate; step *= 2) at += step;
    at = std::lower_bound(coordinates + at + 1, coordinates + std::min(at + step, end), coordinate) - coordinates;
  }

  void enter(std::int64_t value) const {
    below->begin = kind == LevelKind::dense ? at + value : at;
    below->end = below->begin + 1;
    if (repeats)
      while (below->end < end && coordinates[below->end] == value) ++below->end;
  }
};

// One rule, and how far each of its operands is entered.
class Walk {
public:
  Walk(const Order& order, const std::vector<const Tensor*>& operands) : last_(order.last) {
    for (const Tensor* t : operands) nodes_.emplace_back(t->levels.size() + 1);
    for (const Step& s : order.steps) {
      cursors_.emplace_back();
      for (const Place& p : s.places) {
        const tensor::Level& level = operands[p.atom]->levels[p.level];
        cursors_.back().push_back({level.kind, is_list(operands[p.atom]->format), level.positions.data(),
                                   level.coordinates.data(), level.size, &nodes_[p.atom][p.level],
                                   &nodes_[p.atom][p.level + 1], 0, 0});
      }
    }
    const std::vector<Cursor>& last = cursors_[last_];
    ends_ = last_ + 1 == cursors_.size() && last.size() == 1 && last[0].kind != LevelKind::dense;
    if (ends_) stored_ = operands[order.steps[last_].places[0].atom]->stored();
  }
  // Cursors point into the nodes, which stay where they are when a vector of them is moved.
  Walk(Walk&&) = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  Walk& operator=(Walk&&) = delete;
  ~Walk() = default;

  std::size_t last() const { return last_; }
  std::size_t steps() const { return cursors_.size(); }
  bool ends() const { return ends_; } // with the list of the last coordinates as it is stored
  const Cursor& list() const { return cursors_[last_][0]; }
  std::int64_t stored() const { return stored_; } // in the operand of that list

  // Before the first value of a step.
  void open(std::size_t step) {
    for (Cursor& c : cursors_[step]) c.open();
  }

  // The first value from `from` on that all operands have; -1 where there is none.
  std::int64_t seek(std::size_t step, std::int64_t from) {
    std::vector<Cursor>& cursors = cursors_[step];
    for (bool again = true; again;) {
      again = false;
      for (Cursor& c : cursors) {
        if (c.kind == LevelKind::dense) {
          if (from >= c.end) return -1;
          continue;
        }
        c.advance(from);
        if (c.at >= c.end) return -1;
        if (c.coordinates[c.at] == from) continue;
        from = c.coordinates[c.at];
        again = cursors.size() > 1;
      }
    }
    return from;
  }

  // After `seek` found this value.
  void enter(std::size_t step, std::int64_t value) {
    for (const Cursor& c : cursors_[step]) c.enter(value);
  }

  // Whether the steps from here on have values.
  bool has_more(std::size_t step) {
    if (step == cursors_.size()) return true;
    open(step);
    for (std::int64_t v = seek(step, 0); v >= 0; v = seek(step, v + 1)) {
      enter(step, v);
      if (has_more(step + 1)) return true;
    }
    return false;
  }

private:
  std::size_t last_;
  std::vector<std::vector<Node>> nodes_;     // per operand and level: whose children are gone through there
  std::vector<std::vector<Cursor>> cursors_; // per step, one for each operand that has the variable
  bool ends_ = false;
  std::int64_t stored_ = 0;
};

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
      if (kind == LevelKind::compressed) result_.levels[l].positions.push_back(0);
    }
    for (std::size_t w = 0; w < walks_.size(); ++w) live_[0].push_back(w);
  }

  Tensor run() {
    reserve();
    enter(0);
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
      if (l.kind == LevelKind::dense) {
        parents *= as_size(l.size);
        continue;
      }
      l.positions.reserve(parents + 1);
      break;
    }
  }

  // All that lies under one node of the level above; whether there is something.
  bool enter(std::size_t depth) {
    if (depth + 1 == result_.levels.size()) return make_row();
    for (std::size_t w : live_[depth]) walks_[w].open(depth);
    tensor::Level& level = result_.levels[depth];
    if (level.kind == LevelKind::dense) {
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

bool is_nested(const tensor::Format& format) {
  const auto first =
      std::find_if(format.levels.begin(), format.levels.end(), [](LevelKind k) { return k != LevelKind::dense; });
  return first != format.levels.end() &&
         std::all_of(first, format.levels.end(), [](LevelKind k) { return k == LevelKind::compressed; });
}

bool is_list(const tensor::Format& format) {
  return format.levels.size() > 1 && format.levels[0] == LevelKind::compressed &&
         std::all_of(format.levels.begin() + 1, format.levels.end(),
                     [](LevelKind k) { return k == LevelKind::singleton; });
}

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
    auto order = Ordering(head, *rule, operands).run();
    if (!order) return std::nullopt;
    walks.emplace_back(*order, operands);
  }
  return Rows(head, std::move(walks)).run();
}

} // namespace cyclotron::recurrence::structure
