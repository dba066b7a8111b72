// SPDX-License-Identifier: MIT
// Parts of a tensor as parts of what it was made from, and as stretches of a file.
#pragma once

#include "backend/mpi/data/part.hpp"

namespace cyclotron::mpi {

// Parts whose neighbours in memory need not be neighbours in the tensor.
struct Piece {
  Box box;
  Word* values = nullptr;
  std::vector<std::int64_t> strides; // words from one element to the next, in each dimension
};

// Elements that follow each other in a file.
struct Run {
  std::int64_t position = 0; // of the first, counted in elements
  std::int64_t length = 0;
  Word* values = nullptr;
  std::int64_t stride = 1; // words between them in memory
};

// The tensor may be cut from another by `tiles`, that one by other tiles, and so on: cuts[0] is the cut of the source.
// An element of the source is at (i/b1, j/b2, i%b1, j%b2) behind a cut into tiles of b1 x b2.
using Cuts = std::vector<std::vector<std::int64_t>>;
void cut_coordinates(std::vector<std::int64_t>& at, const Cuts& cuts);

// The parts as pieces of the source.
std::vector<Piece> pieces_of(const std::vector<Part>& parts, const Cuts& cuts);

// The pieces as runs of at most `longest` elements of a tensor of that size stored row by row (or column by column),
// in the order of the file.
std::vector<Run> runs_of(const std::vector<Piece>& pieces, const std::vector<std::int64_t>& dims, bool column_major,
                         std::int64_t longest);

// How many elements are read or written at once: 4 MiB of doubles.
constexpr std::int64_t most_at_once = std::int64_t{1} << 19;

// Calls visit(position, length, first, last) for every stretch of runs that follow each other in the file without a
// gap, of at most `longest` elements, and stops where it returns false.
template <class Visit> bool for_each_stretch(const std::vector<Run>& runs, std::int64_t longest, Visit visit) {
  for (std::size_t first = 0; first < runs.size();) {
    std::int64_t length = runs[first].length;
    std::size_t last = first + 1;
    while (last < runs.size() && runs[last].position == runs[first].position + length &&
           length + runs[last].length <= longest)
      length += runs[last++].length;
    if (!visit(runs[first].position, length, first, last)) return false;
    first = last;
  }
  return true;
}

} // namespace cyclotron::mpi
