// SPDX-License-Identifier: MIT
// Generators for any rank: constants and independent random values.
#include "tensor/capacity.hpp"
#include "tensor/generators/generators.hpp"
#include "tensor/generators/random_bits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::tensor {

namespace {

std::optional<Entries> fill(Order& order, double value) {
  // Zeros need no entries; a list without any packs into every format.
  if (value == 0) return sparse_entries(order, ValueType::f64, 0);
  return fill_entries<double>(order, ValueType::f64, [&](std::int64_t) { return value; });
}

std::optional<Entries> make_zeros(Order& order) { return fill(order, 0); }
std::optional<Entries> make_ones(Order& order) { return fill(order, 1); }

std::optional<Entries> make_constant(Order& order) {
  if (!order.arguments.given("value")) {
    order.arguments.fail("value", fmt::format("{} needs a value", order.subject()), "write such as `constant(2.5)`");
    return std::nullopt;
  }
  const double value = order.arguments.number("value", 0);
  if (!order.arguments.fine()) return std::nullopt;
  return fill(order, value);
}

// The chosen elements in row-major order, the i-th with value(i).
template <class T, class Value>
std::optional<Entries> scatter(Order& order, double density, ValueType type, const Value& value) {
  const std::int64_t total = element_count(order.dims);
  if (total == too_many) {
    order.room(total, false);
    return std::nullopt;
  }
  const std::int64_t count = share_of(total, density);
  std::optional<Entries> entries = sparse_entries(order, type, count);
  if (!entries || (order.part && !order.room(ChosenPositions::held(total, count), true))) return std::nullopt;
  auto& values = std::get<std::vector<T>>(entries->values);
  const Box box = order.box();
  std::vector<std::int64_t> at(order.dims.size());
  std::int64_t number = 0;
  ChosenPositions(total, count, order.arguments.seed()).visit([&](std::int64_t position) {
    for (std::size_t d = order.dims.size(); d-- > 0;) {
      at[d] = position % order.dims[d];
      position /= order.dims[d];
    }
    if (place_entry(*entries, box, at.data())) values.push_back(value(number));
    ++number;
  });
  return entries;
}

std::optional<Entries> make_random(Order& order) {
  Arguments& arguments = order.arguments;
  const bool boolean = order.request.type == ValueType::boolean;
  const double density = arguments.number("density", boolean ? 0.5 : 1, 0, 1);
  const double low = arguments.number("low", 0);
  const double high = arguments.number("high", std::max(low, 1.0));
  const std::uint64_t seed = arguments.seed();
  if (boolean && (arguments.given("low") || arguments.given("high")))
    arguments.fail(arguments.given("low") ? "low" : "high",
                   fmt::format("{} has no range: its values are bools", order.subject()),
                   "give the share of true values, such as `density=0.5`");
  if (arguments.fine() && high < low)
    arguments.fail(
        "high",
        fmt::format("expected `high` of `{}` of at least `low`, {}, found `{}`", arguments.recipe().name, low, high),
        "swap the two");
  if (!arguments.fine()) return std::nullopt;
  const RandomBits random(seed, stream_of_values);
  const auto value = [&](std::int64_t i) {
    return boolean ? 1 : random.between(low, high, static_cast<std::uint64_t>(i));
  };
  return density < 1 ? scatter<double>(order, density, ValueType::f64, value)
                     : fill_entries<double>(order, ValueType::f64, value);
}

std::optional<Entries> make_integers(Order& order) {
  Arguments& arguments = order.arguments;
  const std::int64_t low = arguments.integer("low", 0);
  const std::int64_t high = arguments.integer("high", low + 10);
  const double density = arguments.number("density", 1, 0, 1);
  const std::uint64_t seed = arguments.seed();
  if (arguments.fine() && high <= low)
    arguments.fail("high", fmt::format("expected `high` of `integers` above `low`, {}, found `{}`", low, high),
                   "integers are drawn from `low` up to, but not including, `high`");
  if (!arguments.fine()) return std::nullopt;
  const RandomBits random(seed, stream_of_values);
  const auto value = [&](std::int64_t i) {
    const std::uint64_t drawn = random.below(static_cast<std::uint64_t>(high - low), static_cast<std::uint64_t>(i));
    return low + static_cast<std::int64_t>(drawn);
  };
  return density < 1 ? scatter<std::int64_t>(order, density, ValueType::i64, value)
                     : fill_entries<std::int64_t>(order, ValueType::i64, value);
}

// Rows along the last dimension: every entry well above zero, so that no step of a chain is lost.
std::optional<Entries> make_stochastic(Order& order) {
  const std::uint64_t seed = order.arguments.seed();
  if (!order.arguments.fine()) return std::nullopt;
  const RandomBits random(seed, stream_of_values);
  const auto weight = [&](std::int64_t i) { return random.between(0.1, 1, static_cast<std::uint64_t>(i)); };
  std::optional<Entries> entries = fill_entries<double>(order, ValueType::f64, weight);
  if (!entries) return std::nullopt;
  auto& values = std::get<std::vector<double>>(entries->values);
  const std::int64_t row = order.dims.empty() ? 1 : order.dims.back();
  for_each_row(order.box(), [&](const std::int64_t* at, std::int64_t offset, std::int64_t length) {
    const std::int64_t begin = row == 0 ? 0 : position_of(at, order.dims) / row * row;
    double sum = 0;
    for (std::int64_t i = begin; i < begin + row; ++i) sum += weight(i);
    for (std::int64_t i = offset; i < offset + length; ++i) values[static_cast<std::size_t>(i)] /= sum;
  });
  return entries;
}

} // namespace

std::vector<Generator> fill_generators() {
  const std::vector<Parameter> sizes = {{"n", ""}, {"m", ""}, {"l", ""}, {"k", ""}};
  const auto with = [&](std::vector<Parameter> more, bool sizes_first) {
    std::vector<Parameter> all = sizes_first ? sizes : more;
    const std::vector<Parameter>& rest = sizes_first ? more : sizes;
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  const std::vector<Parameter> real = with({{"low", "0"}, {"high", "1"}, {"density", "1"}, {"seed", "0"}}, true);
  std::vector<Parameter> integer = with({{"low", "0"}, {"high", "low+10"}, {"seed", "0"}}, false);
  integer.push_back({"density", "1"});
  return {
      {"random",
       real,
       "uniform values from low to high; sparse where density < 1",
       {},
       Sizes::each,
       false,
       make_random},
      {"uniform", real, "the same as random", {}, Sizes::each, false, make_random},
      {"integers",
       integer,
       "uniform integers from low up to, but not including, high",
       {},
       Sizes::each,
       true,
       make_integers},
      {"zeros", sizes, "all 0", {}, Sizes::each, true, make_zeros},
      {"ones", sizes, "all 1", {}, Sizes::each, true, make_ones},
      {"constant", with({{"value", ""}}, false), "all equal to value", {}, Sizes::each, true, make_constant},
      {"stochastic",
       with({{"seed", "0"}}, true),
       "positive; sums to 1 along the last dimension",
       {},
       Sizes::each,
       false,
       make_stochastic,
       false},
  };
}

} // namespace cyclotron::tensor
