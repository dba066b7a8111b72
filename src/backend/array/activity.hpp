// SPDX-License-Identifier: MIT
// How many PEs compute in every cycle. A long run is counted in bins of 2, 4, 8, … cycles, so that the list stays
// short.
#pragma once

#include "engine/process.hpp"

#include <cstdint>
#include <vector>

namespace cyclotron::array {

class ActivityCount {
public:
  static constexpr std::size_t most_bins = 8192;

  void add(engine::Time cycle) {
    const std::size_t bin = static_cast<std::size_t>(cycle) >> shift_;
    if (bin < bins_.size()) ++bins_[bin];
    else add_late(cycle, 1);
  }

  void add(engine::Time from, engine::Time cycles) {
    for (engine::Time t = from; t < from + cycles; ++t) {
      const std::size_t bin = static_cast<std::size_t>(t) >> shift_;
      if (bin >= bins_.size()) return add_late(t, from + cycles - t);
      ++bins_[bin];
    }
  }

  engine::Time cycles_per_bin() const { return engine::Time{1} << shift_; }
  std::vector<std::uint64_t> bins(engine::Time cycles) const; // that many cycles

private:
  void add_late(engine::Time from, engine::Time cycles); // makes room first

  std::vector<std::uint64_t> bins_;
  int shift_ = 0;
};

} // namespace cyclotron::array
