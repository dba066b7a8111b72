// SPDX-License-Identifier: MIT
#include "recurrence/structure_join.hpp"

#include <algorithm>

namespace cyclotron::recurrence::structure {

namespace {

constexpr std::int64_t distance_ahead = 8;

} // namespace

void Sink::emit_all(std::int64_t* head, int place, Index::Fiber numbers, std::int64_t shift) {
  for (std::int64_t n = 0; n < numbers.count; ++n) {
    head[place] = numbers.first[n] + shift;
    emit(head);
  }
}

Join::Join(Plan plan) : plan_(std::move(plan)) {
  values_.assign(static_cast<std::size_t>(plan_.variables) + 1, 0);
  head_.assign(plan_.head.size() + 1, 0);
  std::size_t widest = 1;
  for (const Level& level : plan_.levels) widest = std::max(widest, level.key.size());
  key_.assign(widest, 0);
}

void Join::run(const std::int64_t* given, Sink& sink) {
  given_ = given;
  sink_ = &sink;
  enter(0);
}

void Join::emit() {
  for (std::size_t d = 0; d < plan_.head.size(); ++d) head_[d] = plan_.head[d].evaluate(values_.data());
  sink_->emit(head_.data());
}

bool Join::enter(std::size_t depth) {
  if (depth == plan_.levels.size()) {
    emit();
    return true;
  }
  const Level& level = plan_.levels[depth];
  switch (level.kind) {
  case Level::Kind::given: return enter_given(level, depth);
  case Level::Kind::fiber: return enter_fiber(level, depth);
  case Level::Kind::check: return passes_check(level) && passes(level) && enter(depth + 1);
  case Level::Kind::range: return enter_range(level, depth);
  }
  return false;
}

bool Join::meets(const Match& match, std::int64_t coordinate) {
  const std::int64_t left = coordinate - match.rest.evaluate(values_.data());
  if (match.variable < 0) return left == 0;
  if (match.coefficient != 1 && left % match.coefficient != 0) return false;
  values_[static_cast<std::size_t>(match.variable)] = match.coefficient == 1 ? left : left / match.coefficient;
  return true;
}

bool Join::passes(const Level& level) {
  for (const LinearCondition& test : level.tests)
    if (!test.holds(values_.data())) return false;
  for (const Skip* skip : level.skips) {
    const std::int64_t pivot =
        (*skip->table)[static_cast<std::size_t>(values_[static_cast<std::size_t>(skip->variable)])];
    if (pivot < 0) continue;
    values_[static_cast<std::size_t>(skip->pivot)] = pivot;
    if (std::all_of(skip->conditions.begin(), skip->conditions.end(),
                    [&](const LinearCondition& c) { return c.holds(values_.data()); }))
      return false;
  }
  return true;
}

bool Join::enter_given(const Level& level, std::size_t depth) {
  for (std::size_t i = 0; i < level.matches.size(); ++i)
    if (!meets(level.matches[i], given_[i])) return false;
  return passes(level) && enter(depth + 1);
}

bool Join::passes_check(const Level& level) {
  for (std::size_t i = 0; i < level.key.size(); ++i) key_[i] = level.key[i].evaluate(values_.data());
  if (level.table) {
    // Outside the tensor there is nothing, and such a coordinate would spill into its neighbour's bits.
    for (std::size_t i = 0; i < level.key.size(); ++i)
      if (key_[i] < 0 || key_[i] >= level.packing->size(static_cast<int>(i))) return false;
    return level.table->find(level.packing->pack(key_.data())) >= 0;
  }
  const Index::Fiber fiber = level.index->find(key_.data());
  return std::binary_search(fiber.first, fiber.first + fiber.count, key_[level.index->bound().size()]);
}

// The values that the level's variable may have, from what is known of the others.
bool Join::limits_of(const Level& level, std::int64_t& low, std::int64_t& high) const {
  std::tie(low, high) = level.range;
  for (const Limit& limit : level.limits) {
    const std::int64_t rest = limit.rest.evaluate(values_.data()), k = limit.coefficient;
    if (limit.equal && rest % k != 0) return false;
    const std::int64_t low_end = limit.equal ? -rest / k : k > 0 ? ceil_div(-rest, k) : low;
    const std::int64_t high_end = limit.equal ? -rest / k : k < 0 ? floor_div(rest, -k) : high;
    low = std::max(low, low_end);
    high = std::min(high, high_end);
  }
  return low <= high;
}

bool Join::enter_range(const Level& level, std::size_t depth) {
  std::int64_t low = 0, high = -1;
  if (!limits_of(level, low, high)) return false;
  bool found = false;
  for (std::int64_t v = low; v <= high; ++v) {
    values_[static_cast<std::size_t>(level.variable)] = v;
    if (!passes(level)) continue;
    if (!enter(depth + 1)) continue;
    found = true;
    if (level.enough) return true;
  }
  return found;
}

bool Join::enter_fiber(const Level& level, std::size_t depth) {
  for (std::size_t i = 0; i < level.key.size(); ++i) key_[i] = level.key[i].evaluate(values_.data());
  Index::Fiber fiber = level.index->find(key_.data());
  if (fiber.count == 0) return false;
  std::int64_t low = 0, high = 0;
  const bool limited = level.variable >= 0;
  if (limited && !limits_of(level, low, high)) return false;
  std::int64_t shift = 0;
  if (limited && level.matches[0].coefficient == 1) {
    shift = -level.matches[0].rest.evaluate(values_.data());
    if (level.index->sorted()) {
      const Coordinate *first = fiber.first, *last = fiber.first + fiber.count;
      if (*first + shift < low) first = std::lower_bound(first, last, low - shift);
      if (first != last && *(last - 1) + shift > high) last = std::upper_bound(first, last, high - shift);
      fiber = {first, last - first};
      if (fiber.count == 0) return false;
      if (level.whole) {
        values_[static_cast<std::size_t>(level.variable)] = 0; // so that the head gives the rest of that coordinate
        for (std::size_t d = 0; d < plan_.head.size(); ++d) head_[d] = plan_.head[d].evaluate(values_.data());
        const std::int64_t at = head_[static_cast<std::size_t>(plan_.run_place)];
        sink_->emit_all(head_.data(), plan_.run_place, fiber, shift + at);
        return true;
      }
    }
  }
  const std::size_t width = level.matches.size();
  bool found = false;
  const Coordinate* at = fiber.first;
  // The fiber that each tuple leads to is fetched from memory while those before it are worked on.
  const Index* ahead = level.ahead_place >= 0 ? plan_.levels[depth + 1].index : nullptr;
  for (std::int64_t n = 0; n < fiber.count; ++n, at += width) {
    if (ahead && n + distance_ahead < fiber.count) {
      const std::int64_t key = at[distance_ahead * static_cast<std::int64_t>(width) + level.ahead_place];
      __builtin_prefetch(ahead->find(&key).first);
    }
    bool fits = true;
    for (std::size_t i = 0; i < width && fits; ++i) fits = meets(level.matches[i], at[i]);
    if (!fits) continue;
    if (limited) {
      const std::int64_t v = values_[static_cast<std::size_t>(level.variable)];
      if (v < low || v > high) continue;
    }
    if (!passes(level)) continue;
    if (!enter(depth + 1)) continue;
    found = true;
    if (level.enough) return true;
  }
  return found;
}

} // namespace cyclotron::recurrence::structure
