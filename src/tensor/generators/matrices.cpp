// SPDX-License-Identifier: MIT
// Generators of square matrices with a structure that solvers care about.
#include "tensor/capacity.hpp"
#include "tensor/generators/generators.hpp"
#include "tensor/generators/random_bits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::tensor {

namespace {

constexpr std::uint64_t stream_of_diagonal = 3;

// Where it lies in what is to be made.
void push(Entries& entries, const Box& box, std::int64_t row, std::int64_t column, double value) {
  const std::int64_t at[] = {row, column};
  if (place_entry(entries, box, at)) std::get<std::vector<double>>(entries.values).push_back(value);
}

// How many elements of an n x n matrix lie in the band, before any allocation.
std::int64_t band_count(std::int64_t n, std::int64_t lower, std::int64_t upper) {
  return saturating_product(n, std::min(n, lower + upper + 1));
}

// The value at (row, column) by its distance from the diagonal.
template <class Value>
std::optional<Entries> fill_band(const Order& order, std::int64_t lower, std::int64_t upper, Value value) {
  const std::int64_t n = order.dims[0];
  std::optional<Entries> entries = sparse_entries(order, ValueType::f64, band_count(n, lower, upper));
  const Box box = order.box();
  const std::int64_t left = box.first[1], right = left + box.count[1] - 1;
  for (std::int64_t i = box.first[0]; entries && i < box.first[0] + box.count[0]; ++i)
    for (std::int64_t j = std::max(left, i - lower); j <= std::min(right, i + upper); ++j)
      push(*entries, box, i, j, value(i, j));
  return entries;
}

std::optional<Entries> make_identity(Order& order) {
  return fill_band(order, 0, 0, [](std::int64_t, std::int64_t) { return 1.0; });
}

// The diagonal outweighs its row, so that elimination needs no pivoting.
std::optional<Entries> make_banded(Order& order) {
  const std::int64_t lower = order.arguments.integer("lower", 1, 0);
  const std::int64_t upper = order.arguments.integer("upper", 1, 0);
  const RandomBits random(order.arguments.seed(), stream_of_values);
  if (!order.arguments.fine()) return std::nullopt;
  const std::int64_t n = order.dims[0];
  return fill_band(order, std::min(lower, n), std::min(upper, n), [&](std::int64_t i, std::int64_t j) {
    const double value = random.between(
        -1, 1, static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(j));
    return i == j ? static_cast<double>(lower + upper) + 2 + value : value;
  });
}

std::optional<Entries> make_tridiagonal(Order& order) {
  const double lower = order.arguments.number("lower", -1);
  const double diagonal = order.arguments.number("diagonal", 2);
  const double upper = order.arguments.number("upper", -1);
  if (!order.arguments.fine()) return std::nullopt;
  return fill_band(order, 1, 1, [&](std::int64_t i, std::int64_t j) {
    return i == j ? diagonal : i > j ? lower : upper;
  });
}

// Row and column of the p-th element below the diagonal, counted row by row: p = row (row-1) / 2 + column.
std::pair<std::int64_t, std::int64_t> below_diagonal(std::int64_t p) {
  auto row = static_cast<std::int64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(p))) / 2);
  while (row * (row - 1) / 2 > p) --row; // the square root may be off by one
  while ((row + 1) * row / 2 <= p) ++row;
  return {row, p - row * (row - 1) / 2};
}

std::int64_t triangle_count(std::int64_t n) {
  return n < 2 ? 0 : n % 2 == 0 ? saturating_product(n / 2, n - 1) : saturating_product(n, (n - 1) / 2);
}

// Positions below the diagonal for a density, or nothing where they would not fit.
std::optional<ChosenPositions> choose_below(Order& order, double density, std::int64_t entries_each) {
  const std::int64_t total = triangle_count(order.dims[0]);
  constexpr std::int64_t most = std::int64_t{1} << 61; // so that `below_diagonal` does not overflow
  if (total > most) {
    order.room(too_many, false);
    return std::nullopt;
  }
  const std::int64_t count = share_of(total, density);
  const bool fits = order.part ? order.room(ChosenPositions::held(total, count), true)
                               : order.room(saturating_product(count, entries_each), false);
  if (!fits) return std::nullopt;
  return ChosenPositions(total, count, order.arguments.seed());
}

// The other way round, for row > column.
std::int64_t place_below(std::int64_t row, std::int64_t column) { return row * (row - 1) / 2 + column; }

double draw(const RandomBits& random, std::int64_t p) { return random.between(-1, 1, static_cast<std::uint64_t>(p)); }

// A part of a matrix without zeros, element by element: value(row, column).
template <class Value> std::optional<Entries> fill_matrix(const Order& order, const Value& value) {
  std::optional<Entries> entries = dense_entries(order, ValueType::f64);
  if (!entries) return std::nullopt;
  auto& values = std::get<std::vector<double>>(entries->values);
  for_each_row(order.box(), [&](const std::int64_t* at, std::int64_t offset, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) values[static_cast<std::size_t>(offset + i)] = value(at[0], at[1] + i);
  });
  return entries;
}

std::optional<Entries> spd_part(const Order& order, const RandomBits& random) {
  const std::int64_t n = order.dims[0];
  return fill_matrix(order, [&](std::int64_t i, std::int64_t j) {
    if (i != j) return draw(random, place_below(std::max(i, j), std::min(i, j)));
    double weight = 1; // summed in the order in which the whole matrix is made
    for (std::int64_t k = 0; k < i; ++k) weight += std::abs(draw(random, place_below(i, k)));
    for (std::int64_t k = i + 1; k < n; ++k) weight += std::abs(draw(random, place_below(k, i)));
    return weight;
  });
}

// Symmetric with positive row sums of what the diagonal outweighs, hence positive definite (Gershgorin).
std::optional<Entries> make_spd(Order& order) {
  const double density = order.arguments.number("density", 1, 0, 1);
  const RandomBits random(order.arguments.seed(), stream_of_values);
  if (!order.arguments.fine()) return std::nullopt;
  const auto chosen = choose_below(order, density, 2);
  if (!chosen) return std::nullopt;
  if (order.part && chosen->everything()) return spd_part(order, random);
  const std::int64_t n = order.dims[0];
  std::optional<Entries> entries = sparse_entries(order, ValueType::f64, n + 2 * chosen->count());
  if (!entries) return std::nullopt;
  const Box box = order.box();
  std::vector<double> weight(static_cast<std::size_t>(n), 1);
  chosen->visit([&](std::int64_t p) {
    const auto [row, column] = below_diagonal(p);
    const double value = draw(random, p);
    push(*entries, box, row, column, value);
    push(*entries, box, column, row, value);
    weight[static_cast<std::size_t>(row)] += std::abs(value);
    weight[static_cast<std::size_t>(column)] += std::abs(value);
  });
  for (std::int64_t i = 0; i < n; ++i) push(*entries, box, i, i, weight[static_cast<std::size_t>(i)]);
  return entries;
}

std::optional<Entries> triangular_part(const Order& order, bool upper, const RandomBits& random,
                                       const RandomBits& diagonal) {
  const std::int64_t last = order.dims[0] - 1;
  return fill_matrix(order, [&](std::int64_t i, std::int64_t j) {
    if (i == j) return diagonal.between(1, 2, static_cast<std::uint64_t>(i));
    const std::int64_t row = upper ? last - i : i, column = upper ? last - j : j;
    return row < column ? 0.0 : draw(random, place_below(row, column)) / static_cast<double>(row);
  });
}

// Off the diagonal each row sums to less than 1 in absolute value and the diagonal is at least 1: solutions stay tame.
std::optional<Entries> make_triangular(Order& order) {
  const bool upper = order.arguments.integer("upper", 0, 0, 1) == 1;
  const double density = order.arguments.number("density", 1, 0, 1);
  const std::uint64_t seed = order.arguments.seed();
  if (!order.arguments.fine()) return std::nullopt;
  const auto chosen = choose_below(order, density, 1);
  if (!chosen) return std::nullopt;
  const RandomBits random(seed, stream_of_values), diagonal(seed, stream_of_diagonal);
  if (order.part && chosen->everything()) return triangular_part(order, upper, random, diagonal);
  const std::int64_t n = order.dims[0];
  std::optional<Entries> entries = sparse_entries(order, ValueType::f64, n + chosen->count());
  if (!entries) return std::nullopt;
  const Box box = order.box();
  std::vector<double> row_length(static_cast<std::size_t>(n), 0);
  const auto place = [&](std::int64_t p) {
    const auto [row, column] = below_diagonal(p);
    return upper ? std::pair{n - 1 - row, n - 1 - column} : std::pair{row, column};
  };
  chosen->visit([&](std::int64_t p) { ++row_length[static_cast<std::size_t>(place(p).first)]; });
  chosen->visit([&](std::int64_t p) {
    const auto [row, column] = place(p);
    push(*entries, box, row, column, draw(random, p) / row_length[static_cast<std::size_t>(row)]);
  });
  for (std::int64_t i = 0; i < n; ++i) push(*entries, box, i, i, diagonal.between(1, 2, static_cast<std::uint64_t>(i)));
  return entries;
}

} // namespace

std::vector<Generator> matrix_generators() {
  const Parameter n{"n", ""}, seed{"seed", "0"}, density{"density", "1"};
  return {
      {"identity", {n}, "1 on the diagonal", {2}, Sizes::square, true, make_identity},
      {"tridiagonal",
       {n, {"lower", "-1"}, {"diagonal", "2"}, {"upper", "-1"}},
       "three constant diagonals",
       {2},
       Sizes::square,
       true,
       make_tridiagonal},
      {"banded",
       {n, {"lower", "1"}, {"upper", "1"}, seed},
       "random, with that many diagonals below and above; diagonally dominant",
       {2},
       Sizes::square,
       false,
       make_banded},
      {"spd",
       {n, density, seed},
       "random symmetric positive definite, diagonally dominant",
       {2},
       Sizes::square,
       false,
       make_spd},
      {"triangular",
       {n, {"upper", "0"}, density, seed},
       "random lower triangular (upper=1: upper), well conditioned",
       {2},
       Sizes::square,
       false,
       make_triangular},
  };
}

} // namespace cyclotron::tensor
