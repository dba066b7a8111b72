// SPDX-License-Identifier: MIT
// A finite memory in front of what works on tiles: the next tiles are loaded while the current one is in use, as far as
// there is room for them (n-buffering).
#pragma once

#include "engine/simulation.hpp"

#include <cstdint>
#include <deque>

namespace cyclotron::study {

struct BufferParameters {
  double bytes = 0;           // that it holds
  double bytes_per_cycle = 1; // of what it loads from
  engine::Time latency = 0;   // of a load
  engine::Time pipelined = 0; // of a load that was asked for, and had room, while another ran
};

class TileBuffer {
public:
  using Time = engine::Time;
  explicit TileBuffer(const BufferParameters& parameters) : parameters_(parameters) {}

  // When a tile is there that is asked for at this time. Tiles come in the order in which they are asked for, one load
  // at a time; the tile that came last need not be loaded again.
  Time load(std::int64_t tile, double bytes, Time asked);

  // The tile asked for last is in use until then, and afterwards makes room.
  void use_until(Time time) { held_.back().until = time; }

  double loaded_bytes() const { return loaded_bytes_; }

private:
  struct Held {
    std::int64_t tile = 0;
    double bytes = 0;
    Time ready = 0, until = 0;
  };

  BufferParameters parameters_;
  std::deque<Held> held_; // the last one is the newest
  double held_bytes_ = 0, loaded_bytes_ = 0;
  Time last_load_ = 0; // its end
};

} // namespace cyclotron::study
