// SPDX-License-Identifier: MIT
#include "recurrence/structure_index.hpp"

#include "tensor/capacity.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace cyclotron::recurrence::structure {

namespace {

int bits_for(std::int64_t size) { return size <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(size - 1)); }

constexpr int digit_bits = 11;
constexpr std::size_t buckets = std::size_t{1} << digit_bits;

// How many of the leading dimensions of `wanted` must be sorted by, where tuples come in the order `given`: once
// they agree in those, the order they had must be the order wanted.
std::size_t unsorted_prefix(const std::vector<int>& given, const std::vector<int>& wanted) {
  for (std::size_t length = 0; length <= wanted.size(); ++length) {
    std::vector<int> rest;
    for (int d : given)
      if (std::find(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(length), d) ==
          wanted.begin() + static_cast<std::ptrdiff_t>(length))
        rest.push_back(d);
    if (std::equal(rest.begin(), rest.end(), wanted.begin() + static_cast<std::ptrdiff_t>(length), wanted.end()))
      return length;
  }
  return wanted.size();
}

} // namespace

Packing::Packing(const std::vector<std::int64_t>& dims, std::vector<int> order)
    : dims_(dims), order_(std::move(order)), shift_(dims.size(), 0), mask_(dims.size(), 0) {
  for (std::size_t i = order_.size(); i-- > 0;) {
    const auto d = static_cast<std::size_t>(order_[i]);
    const int bits = bits_for(dims[d]);
    shift_[d] = bits_ < most_bits ? bits_ : 0;
    mask_[d] = (Key{1} << bits) - 1;
    bits_ += bits;
  }
}

void radix_sort(std::vector<Key>& keys, int low, int high) {
  std::vector<Key> spare(keys.size());
  for (int shift = low; shift < high; shift += digit_bits) {
    const Key mask = (Key{1} << std::min(digit_bits, high - shift)) - 1;
    std::array<std::size_t, buckets> start{};
    const auto digit = [&](Key k) { return static_cast<std::size_t>((k >> shift) & mask); };
    for (Key k : keys) ++start[digit(k)];
    std::exclusive_scan(start.begin(), start.end(), start.begin(), std::size_t{0});
    for (Key k : keys) spare[start[digit(k)]++] = k;
    keys.swap(spare);
  }
}

void sort_and_drop_repeated(std::vector<Key>& keys, int bits) {
  const auto not_rising = [](Key a, Key b) { return a >= b; };
  if (std::adjacent_find(keys.begin(), keys.end(), not_rising) == keys.end()) return;
  if (keys.size() < buckets) std::sort(keys.begin(), keys.end());
  else radix_sort(keys, 0, bits);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::vector<Key> merged(const std::vector<Key>& a, const std::vector<Key>& b) {
  std::vector<Key> out(a.size() + b.size());
  std::size_t i = 0, j = 0, n = 0;
  while (i < a.size() && j < b.size()) { // no branch depends on the data
    const Key x = a[i], y = b[j];
    out[n++] = std::min(x, y);
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  const auto rest = [&](const std::vector<Key>& list, std::size_t from) {
    std::copy(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(),
              out.begin() + static_cast<std::ptrdiff_t>(n));
    n += list.size() - from;
  };
  rest(a, i);
  rest(b, j);
  out.resize(n);
  return out;
}

CoordinateSet::CoordinateSet(std::int64_t size) {
  auto words = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
  do {
    words = (words + 63) / 64;
    levels_.emplace_back(words, 0);
  } while (words > 1);
}

// --- KeyTable ---

std::size_t KeyTable::place(Key key) const {
  std::uint64_t h = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u;
  h ^= h >> 32;
  std::size_t at = h & (cells_.size() - 1);
  while (cells_[at].number >= 0 && cells_[at].key != key) at = (at + 1) & (cells_.size() - 1);
  return at;
}

std::int64_t KeyTable::find(Key key) const { return cells_.empty() ? -1 : cells_[place(key)].number; }

std::int64_t KeyTable::add(Key key) {
  if (static_cast<std::size_t>(count_) * 2 >= cells_.size()) grow();
  Cell& cell = cells_[place(key)];
  if (cell.number < 0) cell = {key, count_++};
  return cell.number;
}

void KeyTable::grow() {
  std::vector<Cell> old(std::max<std::size_t>(64, cells_.size() * 2));
  old.swap(cells_);
  for (const Cell& cell : old)
    if (cell.number >= 0) cells_[place(cell.key)] = cell;
}

// --- Index ---

Index::Index(const std::vector<std::int64_t>& dims, std::vector<int> bound, std::vector<int> free)
    : dims_(dims), bound_(std::move(bound)), free_(std::move(free)) {
  std::vector<int> order(bound_.size());
  std::iota(order.begin(), order.end(), 0);
  for (int d : bound_) bound_dims_.push_back(dims[static_cast<std::size_t>(d)]);
  packing_ = Packing(bound_dims_, order);
  choose_direct(0);
}

// An array over all keys is fastest, as long as it is not much larger than what is stored, or just small.
void Index::choose_direct(std::int64_t count) {
  const std::int64_t small = bound_.size() <= 1 ? 1 << 22 : 1 << 16;
  direct_ = tensor::element_count(bound_dims_) <= std::max(small, 4 * count);
}

void Index::fill(const Facts& facts) {
  filled_ = true;
  std::vector<int> wanted = bound_;
  wanted.insert(wanted.end(), free_.begin(), free_.end());
  const Packing packing(facts.dims, wanted);
  std::vector<Key> sorted;
  const std::size_t prefix = unsorted_prefix(facts.packing.order(), wanted);
  const bool as_given = prefix == 0;
  if (!as_given) {
    sorted.reserve(facts.keys.size());
    for (Key key : facts.keys) {
      Key moved = 0;
      for (int d : wanted) moved |= facts.packing.coordinate(key, d) << packing.shift(d);
      sorted.push_back(moved);
    }
    radix_sort(sorted, packing.shift(wanted[prefix - 1]), packing.bits());
  }
  const std::vector<Key>& keys = as_given ? facts.keys : sorted;
  choose_direct(static_cast<std::int64_t>(keys.size()));
  if (direct_) starts_.assign(static_cast<std::size_t>(tensor::element_count(bound_dims_)) + 1, 0);
  data_.reserve(keys.size() * free_.size());
  std::vector<std::int64_t> at(bound_.size());
  for (Key key : keys) {
    for (std::size_t i = 0; i < bound_.size(); ++i) at[i] = packing.coordinate(key, bound_[i]);
    if (direct_) {
      ++starts_[static_cast<std::size_t>(slot_of(at.data())) + 1];
    } else if (const auto slot = static_cast<std::size_t>(table_.add(packing_.pack(at.data()))); true) {
      if (starts_.size() < slot + 2) starts_.resize(slot + 2, 0);
      ++starts_[slot + 1];
    }
    for (int d : free_) data_.push_back(static_cast<Coordinate>(packing.coordinate(key, d)));
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
}

void Index::add(const std::int64_t* tuple) {
  key_.clear();
  for (int d : bound_) key_.push_back(tuple[d]);
  const auto slot = static_cast<std::size_t>(direct_ ? slot_of(key_.data()) : table_.add(packing_.pack(key_.data())));
  if (slot >= grown_.size()) grown_.resize(std::max(slot + 1, direct_ ? 2 * grown_.size() : 0));
  std::vector<Coordinate>& fiber = grown_[slot];
  if (free_.size() == 1 && !fiber.empty() && fiber.back() >= tuple[free_[0]]) sorted_ = false;
  for (int d : free_) fiber.push_back(static_cast<Coordinate>(tuple[d]));
}

void Index::add_fiber(std::int64_t key, const std::vector<Coordinate>& numbers) {
  const auto slot = static_cast<std::size_t>(direct_ ? slot_of(&key) : table_.add(packing_.pack(&key)));
  if (slot >= grown_.size()) grown_.resize(std::max(slot + 1, direct_ ? 2 * grown_.size() : 0));
  grown_[slot] = numbers;
}

} // namespace cyclotron::recurrence::structure
