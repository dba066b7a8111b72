// SPDX-License-Identifier: MIT
#include "study/buffers.hpp"

#include <algorithm>
#include <cmath>

namespace cyclotron::study {

engine::Time TileBuffer::load(std::int64_t tile, double bytes, Time asked) {
  if (!held_.empty() && held_.back().tile == tile) return std::max(asked, held_.back().ready) + 1;
  Time start = asked;
  while (!held_.empty() && (held_.front().until <= asked || held_bytes_ + bytes >= parameters_.bytes)) {
    start = std::max(start, held_.front().until); // it must make room first
    held_bytes_ -= held_.front().bytes;
    held_.pop_front();
  }
  const bool pipelined = start < last_load_;
  start = std::max(start, last_load_);
  const Time latency = pipelined ? parameters_.pipelined : parameters_.latency;
  last_load_ = start + latency + static_cast<Time>(std::floor(bytes / parameters_.bytes_per_cycle)) + 1;
  held_.push_back({tile, bytes, last_load_, last_load_});
  held_bytes_ += bytes;
  loaded_bytes_ += bytes;
  return last_load_;
}

} // namespace cyclotron::study
