// SPDX-License-Identifier: MIT
// Reducers of order 1 and more: they gather the points of a group, and put it out sorted while they gather the next.
//
// Three units share the work, because their clocks differ: one takes points; one puts out values, one a cycle from the
// cycle on in which a group is complete; and one puts out coordinates, which take a cycle more wherever a level above
// the innermost goes on.
#include "backend/sam/blocks.hpp"

#include <algorithm>
#include <numeric>

namespace cyclotron::sam {
namespace {

// Points of one group in the order of their coming; those with equal coordinates are combined now and then, always
// with the earlier first.
class Gathering {
public:
  Gathering(const Unit& unit, std::size_t outer, std::size_t order, Combination combination)
      : unit_(unit), outer_(outer), order_(order), combination_(combination) {}

  bool empty() const { return values_.empty(); }
  bool belongs(const std::vector<Token>& point) const {
    for (std::size_t l = 0; l < outer_; ++l)
      if (point[l].payload.whole != above_[l]) return false;
    return true;
  }

  void add(const std::vector<Token>& point) {
    if (values_.empty()) {
      above_.clear();
      for (std::size_t l = 0; l < outer_; ++l) above_.push_back(point[l].payload.whole);
    }
    for (std::size_t l = 0; l < order_; ++l) coordinates_.push_back(point[outer_ + l].payload.whole);
    values_.push_back(point.back().payload);
    if (values_.size() >= next_combining_) {
      combine_equal();
      next_combining_ = std::max(first_combining, 2 * values_.size());
    }
  }

  std::shared_ptr<const Group> finish() {
    combine_equal();
    auto group = std::make_shared<Group>();
    group->values = std::move(values_);
    group->coordinates.reserve(group->values.size() * (outer_ + order_));
    for (std::size_t p = 0; p < group->values.size(); ++p) {
      group->coordinates.insert(group->coordinates.end(), above_.begin(), above_.end());
      group->coordinates.insert(group->coordinates.end(), at(p), at(p) + order_);
    }
    values_.clear();
    coordinates_.clear();
    next_combining_ = first_combining;
    return group;
  }

private:
  static constexpr std::size_t first_combining = 1024;

  const std::int64_t* at(std::size_t point) const { return coordinates_.data() + point * order_; }

  void combine_equal() {
    std::vector<std::size_t> sorted(values_.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
      return std::lexicographical_compare(at(a), at(a) + order_, at(b), at(b) + order_);
    });
    std::vector<std::int64_t> coordinates;
    std::vector<Word> values;
    const char* problem = nullptr;
    for (const std::size_t p : sorted) {
      if (!values.empty() &&
          std::equal(at(p), at(p) + order_, coordinates.end() - static_cast<std::ptrdiff_t>(order_))) {
        values.back() = combine(combination_, values.back(), values_[p], problem);
        if (problem) fail(unit_, problem);
        continue;
      }
      coordinates.insert(coordinates.end(), at(p), at(p) + order_);
      values.push_back(values_[p]);
    }
    coordinates_ = std::move(coordinates);
    values_ = std::move(values);
  }

  const Unit& unit_;
  std::size_t outer_, order_;
  Combination combination_;
  std::vector<std::int64_t> above_, coordinates_;
  std::vector<Word> values_;
  std::size_t next_combining_ = first_combining;
};

} // namespace

Body accumulate(Unit& unit, std::size_t outer, std::size_t order, Combination combination, Groups& to_values,
                Groups& to_coordinates) {
  Gathering gathering(unit, outer, order, combination);
  std::vector<Token> point(outer + order + 1);
  const auto send = [&](const std::shared_ptr<const Group>& group) {
    to_values.put(group);
    to_coordinates.put(group);
  };
  for (;;) {
    bool absent = false;
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (unit.in[i]->empty()) co_await unit.in[i]->until_element();
      point[i] = unit.in[i]->take();
      absent |= point[i].is_empty();
      if (point[i].is_done() != point[0].is_done()) fail(unit, "has inputs with different numbers of points");
    }
    const bool ended = point[0].is_done();
    if (!gathering.empty() && (ended || (!absent && !gathering.belongs(point)))) send(gathering.finish());
    if (ended) break;
    if (!absent) gathering.add(point);
    unit.step();
  }
  send(std::make_shared<Group>());
}

Body put_values(Unit& unit, Groups& from) {
  Output& out = unit.out[0];
  for (;;) {
    if (from.empty()) co_await from.until_element();
    const std::shared_ptr<const Group> group = from.take();
    if (group->values.empty()) break;
    for (const Word word : group->values) {
      while (!out.has_room()) co_await out.until_room();
      out.put(value(word));
      unit.step();
    }
  }
  while (!out.has_room()) co_await out.until_room();
  out.put(done());
  unit.step();
}

// Each point is there one cycle after the one before it, or when its group is.
Body put_coordinates(Unit& unit, Groups& from) {
  const std::size_t levels = unit.out.size();
  std::vector<std::int64_t> last; // no point yet: empty
  engine::Time point_ready = 0;
  for (;;) {
    if (from.empty()) co_await from.until_element();
    point_ready = std::max(point_ready, from.arrival());
    const std::shared_ptr<const Group> group = from.take();
    if (group->values.empty()) break;
    for (std::size_t p = 0; p < group->values.size(); ++p, ++point_ready) {
      unit.self.wait_to_receive(point_ready);
      const std::int64_t* point = group->coordinates.data() + p * levels;
      std::size_t changed = 0;
      while (!last.empty() && changed + 1 < levels && point[changed] == last[changed]) ++changed;
      for (Output& out : unit.out)
        while (!out.has_room()) co_await out.until_room();
      if (!last.empty() && changed + 1 < levels) {
        for (std::size_t l = changed + 1; l < levels; ++l) unit.out[l].put(stop(static_cast<int>(l - changed - 1)));
        unit.step();
        for (Output& out : unit.out)
          while (!out.has_room()) co_await out.until_room();
      }
      for (std::size_t l = changed; l < levels; ++l) unit.out[l].put(data(point[l]));
      last.assign(point, point + levels);
      unit.step();
    }
  }
  unit.self.wait_to_receive(point_ready);
  for (Output& out : unit.out)
    while (!out.has_room()) co_await out.until_room();
  if (!last.empty()) {
    for (std::size_t l = 0; l < levels; ++l) unit.out[l].put(stop(static_cast<int>(l)));
    unit.step();
    for (Output& out : unit.out)
      while (!out.has_room()) co_await out.until_room();
  }
  for (Output& out : unit.out) out.put(done());
  unit.step();
}

} // namespace cyclotron::sam
