// SPDX-License-Identifier: MIT
// Levels split into parts: `tile i by 64 -> io, ii` makes B(i,j) a tensor B(io,ii,j) whose coordinates are quotients
// and remainders; with several sizes, remainders are split again. It is stored so before the graph runs, with its
// levels in the order of the loops.
//
//   x(i) = b(i) * c(i)   -->   x(io,ii) = b(io,ii) * c(io,ii)
#pragma once

#include "lower/stream/term.hpp"

namespace cyclotron::lower {

struct StreamTile {
  std::string index;
  std::vector<std::int64_t> sizes; // of the tiles of each part in steps of the index; each divides the one before it
  std::vector<std::string> parts;  // one more
  Span span;

  // What one step of a part is in steps of the index.
  std::int64_t stride(std::size_t part) const { return part < sizes.size() ? sizes[part] : 1; }
};

// By which sizes each dimension of an operand is split; none: not at all. The operand's own dimensions are those after
// splitting.
using StreamSplit = std::vector<std::vector<std::int64_t>>;

// What has to be split, by the name of the operand or of the result.
using StreamSplits = std::map<std::string, StreamSplit>;

// Coordinates that a tile has beyond the end are masked where they can come up.
StreamSplits split_levels(StreamEquation& equation, const std::vector<StreamTile>& tiles);

// Levels of the tensors that were split, in the order of the loops.
void order_levels(StreamEquation& equation, const StreamSplits& splits, const std::vector<std::string>& order);

} // namespace cyclotron::lower
