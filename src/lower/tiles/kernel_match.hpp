// SPDX-License-Identifier: MIT
// Finds kernels in equations about elements of tiles: by their definitions, up to names and the order of terms and
// factors.
//
// A kernel's definition is a recurrence, so what it computes can be compared with what the equations compute inside a
// tile. Its arguments stand for any expression: matching
//   C(i,j) = (B(i,j) - sum[l](A(i,l) * C(l,j))) / A(i,i) : l < i
// with X(i)[i',c'] above binds A to L(i,i) and B to all terms that are left. The arguments found are in turn
// expressions about elements, to be lifted themselves.
#pragma once

#include "lower/tiles/tile_cases.hpp"
#include "recurrence/kernels.hpp"

namespace cyclotron::lower {

// An expression as a function of places: what an argument of a kernel is bound to.
struct Elements {
  std::vector<std::string> places;
  recurrence::Expr value;
  const TileCase* of = nullptr; // whose constraints hold for the indices in it
};

// The cases that together define a tile.
struct TileGroup {
  std::vector<const TileCase*> cases;
  const recurrence::Access& tile() const { return cases[0]->tile; }
};

struct KernelUse {
  const recurrence::Kernel* kernel = nullptr;
  std::vector<Elements> arguments;
  bool transposed = false; // the result is the tile's transpose
};

// All kernels that compute these elements, from what they are made of.
std::vector<KernelUse> kernels_for(const Elements& elements, const IndexOrder& order);

// All kernels that compute the tile of a group from what does not lie in it. `groups`: those of the whole program,
// since a kernel may compute two tiles that need each other.
std::vector<KernelUse> kernels_for(const TileGroup& group, const std::vector<TileGroup>& groups,
                                   const IndexOrder& order);

// The places of the element that an access reads; empty for what is no access.
std::vector<std::string> places_read(const recurrence::Expr& expr);

// Whether an expression reads the tile.
bool reads_tile(const recurrence::Expr& value, const recurrence::Access& tile);

} // namespace cyclotron::lower
