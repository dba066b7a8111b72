// SPDX-License-Identifier: MIT
// Generators of vectors: ranges, permutations and texts as numbers.
#include "tensor/generators/generators.hpp"
#include "tensor/generators/random_bits.hpp"

#include <fmt/format.h>

#include <numeric>

namespace cyclotron::tensor {

namespace {

std::optional<Entries> make_range(Order& order) {
  const double start = order.arguments.number("start", 0);
  const double step = order.arguments.number("step", 1);
  if (!order.arguments.fine()) return std::nullopt;
  return fill_entries<double>(order, ValueType::f64,
                              [&](std::int64_t i) { return start + step * static_cast<double>(i); });
}

// Fisher and Yates, from the end.
std::vector<std::int64_t> shuffled(std::int64_t n, std::uint64_t seed) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  const RandomBits random(seed, stream_of_values);
  for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(i, i)]);
  return numbers;
}

std::optional<Entries> make_permutation(Order& order) {
  const std::uint64_t seed = order.arguments.seed();
  if (!order.arguments.fine()) return std::nullopt;
  if (!order.room(order.dims[0], order.dims.size() == 1)) return std::nullopt;
  const std::vector<std::int64_t> numbers = shuffled(order.dims[0], seed);
  if (order.dims.size() == 1)
    return fill_entries<std::int64_t>(order, ValueType::i64,
                                      [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; });
  std::optional<Entries> entries = sparse_entries(order, ValueType::i64, order.dims[0]);
  if (!entries) return std::nullopt;
  const Box box = order.box();
  for (std::int64_t i = 0; i < order.dims[0]; ++i) {
    const std::int64_t at[] = {i, numbers[static_cast<std::size_t>(i)]};
    place_entry(*entries, box, at);
  }
  entries->values = std::vector<std::int64_t>(entries->coordinates[0].size(), 1);
  return entries;
}

std::optional<Entries> make_letters(Order& order) {
  const std::string text = order.arguments.text("text");
  if (!order.arguments.fine()) return std::nullopt;
  const auto length = static_cast<std::int64_t>(text.size());
  if (order.dims[0] >= 0 && order.dims[0] != length) {
    order.arguments.fail("text",
                         fmt::format("expected a text of {} letters for `{}`, found {}: `\"{}\"`", order.dims[0],
                                     order.request.tensor, length, text),
                         "the size follows from other inputs: give a text of that length");
    return std::nullopt;
  }
  order.dims = {length};
  return fill_entries<std::int64_t>(order, ValueType::i64, [&](std::int64_t i) {
    return static_cast<std::int64_t>(static_cast<unsigned char>(text[static_cast<std::size_t>(i)]));
  });
}

std::optional<Entries> make_dna(Order& order) {
  const std::uint64_t seed = order.arguments.seed();
  if (!order.arguments.fine()) return std::nullopt;
  const RandomBits random(seed, stream_of_values);
  return fill_entries<std::int64_t>(order, ValueType::i64, [&](std::int64_t i) {
    return static_cast<std::int64_t>(random.below(4, static_cast<std::uint64_t>(i)));
  });
}

} // namespace

std::vector<Generator> sequence_generators() {
  return {
      {"range",
       {{"n", ""}, {"start", "0"}, {"step", "1"}},
       "start, start+step, start+2*step, ...",
       {1},
       Sizes::each,
       true,
       make_range},
      {"permutation",
       {{"n", ""}, {"seed", "0"}},
       "a vector of 0 .. n-1 shuffled, or such a matrix of 0 and 1",
       {1, 2},
       Sizes::square,
       true,
       make_permutation,
       false},
      {"letters",
       {{"text", ""}},
       "the character codes of a text: `a=letters:GATTACA`",
       {1},
       Sizes::own,
       true,
       make_letters},
      {"dna", {{"n", ""}, {"seed", "0"}}, "random integers from 0 to 3", {1}, Sizes::each, true, make_dna},
  };
}

} // namespace cyclotron::tensor
