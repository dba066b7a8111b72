// SPDX-License-Identifier: MIT
#include "study/patterns.hpp"

#include "support/diagnostics.hpp"
#include "tensor/generators/random_bits.hpp"

#include <algorithm>

namespace cyclotron::study {
namespace {

using tensor::RandomBits;

enum RandomUse : std::uint64_t { places = 1, shifts = 2, values = 3 };

// Where `count` things of this length begin, in order and apart, every arrangement equally likely: the room that is
// left over is cut at random.
std::vector<std::int64_t> begins_of(std::int64_t size, std::int64_t count, std::int64_t length, std::uint64_t seed) {
  const std::int64_t left_over = size - count * length;
  if (left_over < 0) bug("the pattern does not fit its vector");
  const RandomBits random(seed, places);
  std::vector<std::int64_t> begins;
  for (std::int64_t i = 0; i < count; ++i)
    begins.push_back(static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(left_over) + 1, static_cast<std::uint64_t>(i))));
  std::ranges::sort(begins);
  for (std::int64_t i = 0; i < count; ++i) begins[static_cast<std::size_t>(i)] += i * length;
  return begins;
}

tensor::Entries empty_vector(std::int64_t size) { return {{size}, {{}}, std::vector<double>{}, false}; }

// `count` nonzeros from `begin` on.
void add_run(tensor::Entries& to, std::int64_t begin, std::int64_t count, std::uint64_t seed) {
  const RandomBits random(seed, values);
  for (std::int64_t i = begin; i < begin + count; ++i) {
    to.coordinates[0].push_back(i);
    std::get<std::vector<double>>(to.values).push_back(random.between(1, 2, static_cast<std::uint64_t>(i)));
  }
}

// So many of `length` each, the last one shorter where they do not divide `nonzeros`.
template <class Place> void for_each_run(std::int64_t nonzeros, std::int64_t length, const Place& place) {
  for (std::int64_t r = 0; r * length < nonzeros; ++r) place(r, std::min(length, nonzeros - r * length));
}

std::int64_t runs_in(std::int64_t nonzeros, std::int64_t length) { return (nonzeros + length - 1) / length; }

} // namespace

VectorPair runs(std::int64_t size, std::int64_t nonzeros, std::int64_t length, std::uint64_t seed) {
  VectorPair pair{empty_vector(size), empty_vector(size)};
  const auto begins = begins_of(size, runs_in(nonzeros, length), 2 * length, seed);
  for_each_run(nonzeros, length, [&](std::int64_t r, std::int64_t count) {
    const std::int64_t begin = begins[static_cast<std::size_t>(r)];
    add_run(pair.first, begin, count, seed);
    add_run(pair.second, begin + count, count, seed + 1);
  });
  return pair;
}

VectorPair blocks(std::int64_t size, std::int64_t nonzeros, std::int64_t length, std::uint64_t seed) {
  VectorPair pair{empty_vector(size), empty_vector(size)};
  const std::int64_t least = length / 4, most = 3 * length / 4;
  const auto begins = begins_of(size, runs_in(nonzeros, length), length + most, seed);
  const RandomBits random(seed, shifts);
  for_each_run(nonzeros, length, [&](std::int64_t r, std::int64_t count) {
    const std::int64_t begin = begins[static_cast<std::size_t>(r)];
    const auto shift = least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least) + 1,
                                                                      static_cast<std::uint64_t>(r)));
    add_run(pair.first, begin, count, seed);
    add_run(pair.second, begin + shift, count, seed + 1);
  });
  return pair;
}

} // namespace cyclotron::study
