// SPDX-License-Identifier: MIT
#include "backend/array/activity.hpp"

#include <algorithm>

namespace cyclotron::array {

void ActivityCount::add_late(engine::Time from, engine::Time cycles) {
  while ((static_cast<std::size_t>(from) >> shift_) >= most_bins) {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const std::uint64_t count = bins_[i];
      bins_[i] = 0;
      bins_[i / 2] += count;
    }
    ++shift_;
  }
  const std::size_t bin = static_cast<std::size_t>(from) >> shift_;
  if (bin >= bins_.size()) bins_.resize(std::min(most_bins, 2 * bin + 64));
  add(from, cycles);
}

std::vector<std::uint64_t> ActivityCount::bins(engine::Time cycles) const {
  std::vector<std::uint64_t> list = bins_;
  list.resize(static_cast<std::size_t>((cycles + cycles_per_bin() - 1) >> shift_));
  return list;
}

} // namespace cyclotron::array
