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
void choose_by_scan(std::int64_t total, std::int64_t count, const RandomBits& random,
                    const std::function<void(std::int64_t)>& visit) {
  for (std::int64_t i = 0; i < total && count > 0; ++i)
    if (random.below(static_cast<std::uint64_t>(total - i), static_cast<std::uint64_t>(i)) <
        static_cast<std::uint64_t>(count)) {
      visit(i);
      --count;
    }
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

ChosenPositions::ChosenPositions(std::int64_t total, std::int64_t count, std::uint64_t seed)
    : total_(total), count_(count), seed_(seed) {
  if (held(total, count) > 0) drawn_ = choose_by_draw(total, count, RandomBits(seed, stream_of_choice));
}

void ChosenPositions::visit(const std::function<void(std::int64_t)>& visit) const {
  if (drawn_.empty()) return choose_by_scan(total_, count_, RandomBits(seed_, stream_of_choice), visit);
  for (std::int64_t position : drawn_) visit(position);
}

std::int64_t share_of(std::int64_t total, double density) {
  const double share = std::floor(static_cast<double>(total) * density + 0.5);
  return share >= static_cast<double>(total) ? total : static_cast<std::int64_t>(share);
}

} // namespace cyclotron::tensor
