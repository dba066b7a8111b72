// SPDX-License-Identifier: MIT
// Which rank runs which PE, and which rank owns which part of which tensor.
#pragma once

#include "pe/trace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::pe {

// How the PEs along an axis go to ranks: neighbours together, or in turn.
enum class Spread { block, cyclic };

struct Placement {
  int ranks = 1;
  std::vector<int> rank_of; // per element of Executable; the host's is 0
  std::vector<int> grid;    // of ranks, one extent per axis
  std::string text;         // `i cyclic over 2, j in blocks over 2`
};

// The grid of ranks (its extents multiply to `ranks`) and the way of each axis that keep the busiest rank's work small,
// and among those move few bytes. With `spread`, only such ones.
Placement place(const Executable& executable, const Trace& trace, int ranks, std::optional<Spread> spread = {});

struct Ownership {
  std::vector<std::vector<int>> owners; // per tensor and part
  std::vector<std::int64_t> bytes;      // per rank
};

// As the program says, if it does (`distribute`). Otherwise a result belongs to the rank that stores it, and an input
// to one of the ranks that use it, the one that has least so far. So no rank has more than its share, and a rank uses
// most of what it has.
Ownership own(const Executable& executable, const Trace& trace, const Placement& placement);

} // namespace cyclotron::pe
