// SPDX-License-Identifier: MIT
// Lifts a scalar program to tiles, as `tile i, j, k by b` asks for.
//
//   C(i,j) = sum[k](A(i,k) * B(k,j))   -->   C(i,j) = sum[k](GEMM(A(i,k), B(k,j)))
//
// The result is what one would write by hand: tensors of tiles, kernels of the kernel table. No equation is known by
// name: each is split in cases (tile_cases.hpp), and what is left inside a tile must be a kernel by its definition
// (kernel_match.hpp).
#pragma once

#include "lower/tiles/tile_blocks.hpp"

namespace cyclotron::lower {

// How many tiles a dimension has: size / extent, rounded up. The last tile may be smaller.
struct TileCount {
  recurrence::Affine size; // in sizes of the original program
  std::int64_t extent = 1;
};

struct Lifted {
  // Over tiles: `tensor A(n_by_4, p_by_4, 4, 4)` for `tensor A(n, p)`. Dimensions that are cut come back as the extents
  // of the tile, in their order, and all tensors that are cut are dense. It has no defaults, and sizes that nothing
  // needs any more are gone.
  recurrence::Program program;
  Blocks blocks;                           // per tensor and original dimension; 0: not cut
  std::map<std::string, TileCount> counts; // the new sizes: `n_by_4` is n / 4, rounded up
};

// Nothing where an error was reported. The program must have been accepted by the front end.
std::optional<Lifted> lift_to_tiles(const recurrence::Program& program, const Lift& lift, Diagnostics& diagnostics);

} // namespace cyclotron::lower
