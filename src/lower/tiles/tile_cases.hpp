// SPDX-License-Identifier: MIT
// One scalar equation as equations about elements of tiles.
//
// A tiled index i becomes two: i, which counts tiles, and i', the place inside one. A comparison becomes two cases,
// since `k < j` holds where the tile k is before the tile j, and inside the tile k = j where k' < j'. Cases of the
// left-hand side become equations of their own; cases of a sum become terms:
//   X(i) = (B(i) - sum[k](L(i,k) * X(k))) / L(i,i) : k < i
//     -->
//   X(i)[i'] = (B(i)[i'] - (sum[k,k'](L(i,k)[i',k'] * X(k)[k']) + sum[k'1](L(i,i)[i',k'1] * X(i)[k'1])))
//                / L(i,i)[i',i']                                                         : k < i, k'1 < i'
// Which kernels compute this is decided later (kernel_match.hpp).
#pragma once

#include "lower/tiles/tile_comparisons.hpp"

namespace cyclotron::lower {

struct TileCase {
  const recurrence::Equation* origin = nullptr;
  recurrence::Access tile;                         // what is defined: a tile
  std::vector<std::string> place;                  // and the place inside it; a name twice means on a diagonal
  recurrence::Expr value;                          // here an access has the indices of the tile, then those inside it
  std::vector<recurrence::Constraint> constraints; // on tiles, and on what is not tiled
  Comparisons inside;                              // between places inside tiles
};

// Calls f with the name of every index of a place in an expression, bound or not, as often as it stands there.
void each_inside_name(const recurrence::Expr& expr, const std::function<void(const std::string&)>& f);

// Empty where an error was reported.
std::vector<TileCase> tile_cases(const recurrence::Program& program, const Lift& lift, const Blocks& blocks,
                                 const recurrence::Equation& equation, const IndexOrder& order,
                                 Diagnostics& diagnostics);

} // namespace cyclotron::lower
