// SPDX-License-Identifier: MIT
// The union of sorted lists: a row of a sum, or of a product of sparse matrices.
#pragma once

#include "recurrence/structure_index.hpp"

#include <algorithm>

namespace cyclotron::recurrence::structure {

// Sorted lists to one, each number once.
class Union {
public:
  explicit Union(std::int64_t size) : size_(size) {}

  void add(const std::int64_t* first, std::int64_t count) {
    if (count == 0) return;
    __builtin_prefetch(first); // used once all lists are known
    lists_.push_back({first, count, 0});
    most_ += count;
  }
  // A list that is made here, number by number.
  void begin_own() { start_ = own_.size(); }
  void add_own(std::int64_t number) { own_.push_back(number); }
  void end_own() {
    const auto count = static_cast<std::int64_t>(own_.size() - start_);
    if (count == 0) return;
    lists_.push_back({nullptr, count, start_});
    most_ += count;
  }

  std::int64_t most() const { return most_; }

  // Writes to where there is room for `most()` numbers; how many there are.
  std::int64_t write_to(std::int64_t* out) {
    for (List& l : lists_)
      if (!l.first) l.first = own_.data() + l.own;
    std::int64_t count = 0;
    if (lists_.size() == 1) count = std::copy(lists_[0].first, lists_[0].first + lists_[0].count, out) - out;
    else if (lists_.size() > 1) count = unite(out);
    lists_.clear();
    own_.clear();
    most_ = 0;
    return count;
  }

private:
  static constexpr std::size_t most_merged = 4;                      // lists; more go through a set
  static constexpr std::int64_t largest_set = std::int64_t{1} << 28; // 32 MiB

  struct List {
    const std::int64_t* first;
    std::int64_t count;
    std::size_t own; // where it begins, for one that is made here
  };

  std::int64_t unite(std::int64_t* out) {
    if (lists_.size() <= most_merged) {
      List so_far = lists_[0];
      for (std::size_t i = 1; i < lists_.size(); ++i) {
        std::int64_t* to = i + 1 == lists_.size() ? out : between(i % 2);
        so_far = {to, merge(so_far, lists_[i], to), 0};
      }
      return so_far.count;
    }
    std::int64_t* at = out;
    if (size_ <= largest_set) {
      if (!has_set_) set_ = CoordinateSet(size_);
      has_set_ = true;
      for (const List& l : lists_)
        for (std::int64_t i = 0; i < l.count; ++i) set_.insert(l.first[i]);
      set_.drain([&](std::int64_t x) { *at++ = x; });
      return at - out;
    }
    for (const List& l : lists_) at = std::copy(l.first, l.first + l.count, at);
    std::sort(out, at);
    return std::unique(out, at) - out;
  }

  std::int64_t* between(std::size_t which) {
    std::vector<std::int64_t>& list = merged_[which];
    if (list.size() < static_cast<std::size_t>(most_)) list.resize(static_cast<std::size_t>(2 * most_));
    return list.data();
  }

  // Without branches, which would be guessed wrong every other time: the sign of a difference is 0 or -1. The numbers
  // that may come next are loaded before it is known which of them do.
  static std::int64_t merge(const List& first, const List& second, std::int64_t* out) {
    const std::int64_t *a = first.first, *a_last = a + first.count - 1, *b = second.first,
                       *b_last = b + second.count - 1, *start = out;
    std::int64_t x = *a, y = *b;
    while (a < a_last && b < b_last) {
      const std::int64_t less = (x - y) >> 63, greater = (y - x) >> 63, next_x = a[1], next_y = b[1];
      *out++ = y + ((x - y) & less);
      a += 1 + greater;
      b += 1 + less;
      x = next_x + ((x - next_x) & greater);
      y = next_y + ((y - next_y) & less);
    }
    while (a <= a_last && b <= b_last) {
      const std::int64_t less = (*a - *b) >> 63, greater = (*b - *a) >> 63;
      *out++ = *b + ((*a - *b) & less);
      a += 1 + greater;
      b += 1 + less;
    }
    const bool rest = a <= a_last;
    return std::copy(rest ? a : b, (rest ? a_last : b_last) + 1, out) - start;
  }

  std::int64_t size_, most_ = 0;
  std::vector<List> lists_;
  std::vector<std::int64_t> own_;
  std::size_t start_ = 0;
  std::vector<std::int64_t> merged_[2];
  CoordinateSet set_;
  bool has_set_ = false;
};

} // namespace cyclotron::recurrence::structure
