// SPDX-License-Identifier: MIT
// The order in which a rule walks through its operands. Each operand is entered level by level, so that what is left of
// it is always one fiber. The variables come in this order: those of the row; those that are summed over on the way to
// the last coordinate of the head; that coordinate; those of which one value is enough.
#pragma once

#include "recurrence/structure_rules.hpp"

#include <algorithm>
#include <optional>

namespace cyclotron::recurrence::structure {

// Dense levels, then compressed ones: csr, csc, dcsr, csf.
bool is_nested(const tensor::Format& format);
// One entry after the other: coo.
bool is_list(const tensor::Format& format);

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

// Nothing where there is none, or where it would go through much for little.
std::optional<Order> order_of(const SparseTensor& head, const Rule& rule,
                              const std::vector<const tensor::Tensor*>& operands);

// The entries that share the coordinates so far: one, or a run of a coordinate list.
struct Node {
  std::int64_t begin = 0, end = 1;
};

// The children of one node of an operand, gone through from the first to the last.
struct Cursor {
  bool full = true, branchless = false;
  bool repeats = false; // the same coordinate may follow again: a coordinate list
  const std::int64_t *positions = nullptr, *coordinates = nullptr;
  std::int64_t size = 0;
  const Node* above = nullptr;
  Node* below = nullptr;        // what is entered
  std::int64_t at = 0, end = 0; // dense: the position of the first child, the number of them

  void open() {
    if (full) {
      at = above->begin * size;
      end = size;
    } else if (branchless) {
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
    below->begin = full ? at + value : at;
    below->end = below->begin + 1;
    if (repeats)
      while (below->end < end && coordinates[below->end] == value) ++below->end;
  }
};

// One rule, and how far each of its operands is entered.
class Walk {
public:
  Walk(const Order& order, const std::vector<const tensor::Tensor*>& operands) : last_(order.last) {
    for (const tensor::Tensor* t : operands) nodes_.emplace_back(t->levels.size() + 1);
    for (const Step& s : order.steps) {
      cursors_.emplace_back();
      for (const Place& p : s.places) {
        const tensor::Level& level = operands[p.atom]->levels[p.level];
        const tensor::LevelProperties& has = tensor::properties_of(level.kind);
        cursors_.back().push_back({has.full, has.branchless, is_list(operands[p.atom]->format), level.positions.data(),
                                   level.coordinates.data(), level.size, &nodes_[p.atom][p.level],
                                   &nodes_[p.atom][p.level + 1], 0, 0});
      }
    }
    const std::vector<Cursor>& last = cursors_[last_];
    ends_ = last_ + 1 == cursors_.size() && last.size() == 1 && !last[0].full;
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

  // Whether it is one operand with a list for each row of the result, in the same places.
  bool is_rows_of(const tensor::Tensor& result) const {
    if (!ends_ || nodes_.size() != 1 || cursors_.size() != result.levels.size()) return false;
    for (std::size_t l = 0; l < last_; ++l)
      if (!cursors_[l][0].full || !tensor::is_full(result.levels[l].kind) ||
          cursors_[l][0].size != result.levels[l].size)
        return false;
    return !list().branchless;
  }
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
        if (c.full) {
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

} // namespace cyclotron::recurrence::structure
