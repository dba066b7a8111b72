// SPDX-License-Identifier: MIT
// From equations to stream graphs, one after the other: each equation is a phase whose result lies in memory when the
// next begins. A sum that stands beside other terms, but must be gathered outside some of their loops, becomes a phase
// of its own; so does each piece of a tensor that several equations define.
//
// Recurrences are refused: a stream graph has no loops.
#pragma once

#include "frontend/check.hpp"
#include "lower/stream/builder.hpp"
#include "lower/stream/tiles.hpp"
#include "schedule/ir.hpp"
#include "stream/ir.hpp"

namespace cyclotron::lower {

struct LoweredStream {
  std::vector<stream::Graph> phases;
  std::vector<std::map<std::string, recurrence::Affine>>
      extents;                      // of every index that the program names, for each phase
  std::vector<StreamSplits> splits; // for each phase
  std::vector<StreamTile> tiles;
  std::map<std::string, std::string> whole; // of a tensor that is a piece of one of the program: that one
};

// `schedule` may be null. `sizes`: those that are known; a condition such as `i < n-1` needs its.
std::optional<LoweredStream> recurrence_to_stream(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                                  const std::map<std::string, std::int64_t>& sizes,
                                                  Diagnostics& diagnostics);

// Whether graphs of this program can only be made when its sizes are known.
bool stream_needs_sizes(const frontend::Checked& checked, const schedule::Schedule* schedule);

} // namespace cyclotron::lower
