// SPDX-License-Identifier: MIT
// Which elements of a sparse random tensor there are: an exact number of them, with integer arithmetic only.
#include "tensor/generators/generators.hpp"
#include "tensor/generators/random_bits.hpp"

#include <algorithm>
#include <cmath>

namespace cyclotron::tensor {

namespace {

constexpr std::uint64_t stream_of_choice = 1;

// Passes over all numbers and takes each with the chance that is left (Knuth's algorithm S).
std::vector<std::int64_t> choose_by_scan(std::int64_t total, std::int64_t count, const RandomBits& random) {
  std::vector<std::int64_t> chosen;
  chosen.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < total && count > 0; ++i)
    if (random.below(static_cast<std::uint64_t>(total - i), static_cast<std::uint64_t>(i)) <
        static_cast<std::uint64_t>(count)) {
      chosen.push_back(i);
      --count;
    }
  return chosen;
}

// Draws, throws repeated ones away and draws again: quick where few of many are wanted.
std::vector<std::int64_t> choose_by_draw(std::int64_t total, std::int64_t count, const RandomBits& random) {
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<std::int64_t> chosen;
  chosen.reserve(wanted);
  std::uint64_t drawn = 0;
  while (chosen.size() < wanted) {
    while (chosen.size() < wanted)
      chosen.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(total), drawn++)));
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
  return chosen;
}

} // namespace

std::vector<std::int64_t> choose_positions(std::int64_t total, std::int64_t count, std::uint64_t seed) {
  const RandomBits random(seed, stream_of_choice);
  return count > total / 8 ? choose_by_scan(total, count, random) : choose_by_draw(total, count, random);
}

std::int64_t share_of(std::int64_t total, double density) {
  const double share = std::floor(static_cast<double>(total) * density + 0.5);
  return share >= static_cast<double>(total) ? total : static_cast<std::int64_t>(share);
}

} // namespace cyclotron::tensor
