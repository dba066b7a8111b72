// SPDX-License-Identifier: MIT
// Sets of coordinates and ways to look them up: what the rules of a structure are run on.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace cyclotron::recurrence::structure {

// A tuple of coordinates in one word. Signed, so that a list of keys can become a list of coordinates in place.
using Key = std::int64_t;

// One of many in a list: memory is what most of the time goes into.
using Coordinate = std::int32_t;
constexpr std::int64_t largest_dimension = std::int64_t{1} << 31;

// Coordinates side by side, the first of `order` in the highest bits: keys sort as tuples do.
class Packing {
public:
  Packing() = default;
  Packing(const std::vector<std::int64_t>& dims, std::vector<int> order);

  static constexpr int most_bits = 63;
  int bits() const { return bits_; } // more than that: does not fit
  const std::vector<int>& order() const { return order_; }
  Key pack(const std::int64_t* tuple) const {
    Key key = 0;
    for (int d : order_) key |= tuple[d] << shift_[static_cast<std::size_t>(d)];
    return key;
  }
  std::int64_t coordinate(Key key, int dimension) const {
    const auto d = static_cast<std::size_t>(dimension);
    return (key >> shift_[d]) & mask_[d];
  }
  std::int64_t size(int dimension) const { return dims_[static_cast<std::size_t>(dimension)]; }
  int shift(int dimension) const { return shift_[static_cast<std::size_t>(dimension)]; }

private:
  std::vector<std::int64_t> dims_;
  std::vector<int> order_;
  std::vector<int> shift_; // per dimension
  std::vector<Key> mask_;  // per dimension
  int bits_ = 0;
};

// Sorts by the bits from `low` to `high`, stably.
void radix_sort(std::vector<Key>& keys, int low, int high);
void sort_and_drop_repeated(std::vector<Key>& keys, int bits);
std::vector<Key> merged(const std::vector<Key>& a, const std::vector<Key>& b); // of sorted ones, each once

// A list of tuples: sorted in the order of the packing, each once.
struct Facts {
  std::vector<std::int64_t> dims;
  Packing packing;
  std::vector<Key> keys;
};

// A set of small numbers that gives them back in order: bits, bits that say which words have bits, and so on, so
// that neither the size nor the density of the whole matters.
class CoordinateSet {
public:
  explicit CoordinateSet(std::int64_t size = 0);

  void insert(std::int64_t number) {
    auto x = static_cast<std::uint64_t>(number);
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[x >> 6];
      const bool occupied = word != 0;
      word |= std::uint64_t{1} << (x & 63);
      if (occupied) return;
      x >>= 6;
    }
  }

  // Calls f with each number, rising, and leaves the set empty.
  template <class F> void drain(F&& f) { drain(levels_.size() - 1, 0, f); }

private:
  template <class F> void drain(std::size_t level, std::uint64_t at, F& f) {
    std::uint64_t word = levels_[level][at];
    levels_[level][at] = 0;
    for (; word != 0; word &= word - 1) {
      const std::uint64_t x = at * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
      if (level == 0) f(static_cast<std::int64_t>(x));
      else drain(level - 1, x, f);
    }
  }

  std::vector<std::vector<std::uint64_t>> levels_; // the last is one word
};

// Numbers for words, in order of arrival.
class KeyTable {
public:
  std::int64_t find(Key key) const; // -1 where it is not there
  std::int64_t add(Key key);        // its number, old or new
  std::int64_t size() const { return count_; }

private:
  struct Cell {
    Key key = 0;
    std::int64_t number = -1;
  };
  std::size_t place(Key key) const;
  void grow();
  std::vector<Cell> cells_;
  std::int64_t count_ = 0;
};

// The tuples that have given coordinates in the dimensions `bound`, as lists of their coordinates in `free`, of which
// there is at least one.
class Index {
public:
  struct Fiber {
    const Coordinate* first = nullptr;
    std::int64_t count = 0; // of tuples, each as long as `free`
  };

  Index(const std::vector<std::int64_t>& dims, std::vector<int> bound, std::vector<int> free);

  void fill(const Facts& facts);       // all at once; the fibers are sorted
  void add(const std::int64_t* tuple); // one by one; the fibers are in order of arrival
  void add_fiber(std::int64_t key, const std::vector<Coordinate>& numbers); // a new one, of one coordinate each
  bool sorted() const { return sorted_; }                                   // every fiber, so far
  const std::vector<int>& bound() const { return bound_; }
  const std::vector<int>& free() const { return free_; }

  // One coordinate per dimension of `bound`. Coordinates outside the tensor have nothing.
  Fiber find(const std::int64_t* key) const {
    for (std::size_t i = 0; i < bound_dims_.size(); ++i)
      if (key[i] < 0 || key[i] >= bound_dims_[i]) return {};
    const std::int64_t slot = slot_of(key);
    if (slot < 0) return {};
    const auto s = static_cast<std::size_t>(slot);
    const auto width = static_cast<std::int64_t>(free_.size());
    if (!filled_) {
      if (s >= grown_.size()) return {};
      return {grown_[s].data(), static_cast<std::int64_t>(grown_[s].size()) / width};
    }
    return {data_.data() + starts_[s] * width, starts_[s + 1] - starts_[s]};
  }

private:
  std::int64_t slot_of(const std::int64_t* key) const {
    if (direct_) {
      std::int64_t slot = 0;
      for (std::size_t i = 0; i < bound_.size(); ++i) slot = slot * bound_dims_[i] + key[i];
      return slot;
    }
    return table_.find(packing_.pack(key));
  }
  void choose_direct(std::int64_t count);

  std::vector<std::int64_t> dims_, bound_dims_;
  std::vector<int> bound_, free_;
  Packing packing_; // of the bound coordinates, in their order
  bool filled_ = false;
  bool sorted_ = true;
  bool direct_ = false; // slots are counted through, not looked up
  KeyTable table_;
  std::vector<std::int64_t> starts_;           // filled: where the fiber of each slot begins
  std::vector<Coordinate> data_;               // filled
  std::vector<std::vector<Coordinate>> grown_; // else
  std::vector<std::int64_t> key_;              // of the tuple being added
};

} // namespace cyclotron::recurrence::structure
