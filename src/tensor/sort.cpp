// SPDX-License-Identifier: MIT
// Radix sort of entries by storage order: a key packs as many dimensions as fit 64 bits, so that matrices and most
// tensors take one sort of a few passes; the entries themselves are moved once, at the end.
#include "tensor/sort.hpp"

#include "tensor/capacity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <type_traits>

namespace cyclotron::tensor {

namespace {

using Column = std::vector<std::int64_t>;

struct Keyed {
  std::uint64_t key;
  std::uint64_t index;
};

constexpr int digit_bits = 11;
constexpr std::size_t buckets = std::size_t{1} << digit_bits;

// The columns in storage order.
std::vector<const Column*> columns_of(const Entries& entries, const std::vector<int>& order) {
  std::vector<const Column*> columns;
  for (int d : order) columns.push_back(&entries.coordinates[static_cast<std::size_t>(d)]);
  return columns;
}

// Negative, zero or positive as entry a stands before, at or after entry b.
int compare(const std::vector<const Column*>& columns, std::size_t a, std::size_t b) {
  for (const Column* column : columns)
    if ((*column)[a] != (*column)[b]) return (*column)[a] < (*column)[b] ? -1 : 1;
  return 0;
}

void sort_digit(std::vector<Keyed>& items, std::vector<Keyed>& spare, int shift) {
  std::array<std::size_t, buckets> start{};
  for (const Keyed& item : items) ++start[(item.key >> shift) & (buckets - 1)];
  std::size_t sum = 0;
  for (std::size_t& s : start) {
    if (s == items.size()) return; // one bucket holds everything: nothing to do
    const std::size_t count = s;
    s = sum;
    sum += count;
  }
  for (const Keyed& item : items) spare[start[(item.key >> shift) & (buckets - 1)]++] = item;
  items.swap(spare);
}

int bits_for(std::int64_t size) { return size <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(size - 1)); }

// Sorting by the last dimensions first and stably by the others after gives the lexicographic order.
std::vector<Keyed> sorted_indices(const Entries& entries, const std::vector<int>& order) {
  const auto count = static_cast<std::size_t>(entries.count());
  std::vector<Keyed> items(count), spare(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = {0, i};
  for (std::size_t last = order.size(); last > 0;) {
    int bits = 0;
    for (Keyed& item : items) item.key = 0;
    std::size_t first = last;
    while (first > 0) {
      const auto dimension = static_cast<std::size_t>(order[first - 1]);
      const int more = bits_for(entries.dims[dimension]);
      if (bits + more > 64) break;
      if (more > 0)
        for (Keyed& item : items)
          item.key |= static_cast<std::uint64_t>(entries.coordinates[dimension][item.index]) << bits;
      bits += more;
      --first;
    }
    for (int shift = 0; shift < bits; shift += digit_bits) sort_digit(items, spare, shift);
    last = first;
  }
  return items;
}

template <class T> void gather(std::vector<T>& column, const std::vector<Keyed>& items) {
  std::vector<T> moved(column.size());
  for (std::size_t i = 0; i < items.size(); ++i) moved[i] = column[items[i].index];
  column.swap(moved);
}

// False where the sum does not fit.
template <class T> bool add(T& sum, T value) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    sum = sum != 0 || value != 0 ? 1 : 0;
  } else if constexpr (std::is_integral_v<T>) {
    return !__builtin_add_overflow(sum, value, &sum);
  } else {
    sum += value;
  }
  return true;
}

template <class T>
bool sum_repeated(Entries& entries, std::vector<T>& values, const std::vector<const Column*>& columns,
                  Diagnostics& diagnostics) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kept > 0 && compare(columns, kept - 1, i) == 0) {
      if (add(values[kept - 1], values[i])) continue;
      std::vector<std::int64_t> at;
      for (const Column& column : entries.coordinates) at.push_back(column[i]);
      diagnostics
          .error(fmt::format("the entries at ({}) of {} sum to more than it can hold", fmt::join(at, ", "),
                             describe(entries.dims, type_of(entries.values))))
          .with_hint("entries with the same coordinates are summed: remove the repeated ones or use `f64`");
      return false;
    }
    if (kept != i) {
      for (Column& column : entries.coordinates) column[kept] = column[i];
      values[kept] = values[i];
    }
    ++kept;
  }
  for (Column& column : entries.coordinates) column.resize(kept);
  values.resize(kept);
  return true;
}

} // namespace

bool sort_and_sum(Entries& entries, const std::vector<int>& order, Diagnostics& diagnostics) {
  const auto count = static_cast<std::size_t>(entries.count());
  const std::vector<const Column*> columns = columns_of(entries, order);
  bool sorted = true;
  bool repeated = false;
  for (std::size_t i = 1; i < count && sorted; ++i) {
    const int step = compare(columns, i - 1, i);
    sorted = step <= 0;
    repeated = repeated || step == 0;
  }
  if (sorted && !repeated) return true;
  if (!sorted) {
    if (!enough_memory(entries.count(), 2 * sizeof(Keyed) + 8, fmt::format("sorting {} entries", count), diagnostics,
                       "use a smaller input"))
      return false;
    const std::vector<Keyed> items = sorted_indices(entries, order);
    for (Column& column : entries.coordinates) gather(column, items);
    std::visit([&](auto& values) { gather(values, items); }, entries.values);
  }
  return std::visit([&](auto& values) { return sum_repeated(entries, values, columns, diagnostics); }, entries.values);
}

} // namespace cyclotron::tensor
