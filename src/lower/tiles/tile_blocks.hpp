// SPDX-License-Identifier: MIT
// Which dimensions of which tensors `tile i, j, k by b` cuts: those that a tiled index stands in, in all equations.
#pragma once

#include "lower/mapping.hpp"
#include "recurrence/affine.hpp"

namespace cyclotron::lower {

// Per tensor and dimension: the extent of a tile, or 0 where the dimension is not cut.
using Blocks = std::map<std::string, std::vector<std::int64_t>>;

// Nothing where an error was reported: an index that is shifted or used as a number, a dimension that is indexed by
// what is not tiled, or by indices with tiles of different extents, tensors that cannot have tiles.
std::optional<Blocks> find_blocks(const recurrence::Program& program, const Lift& lift, Diagnostics& diagnostics);

// The size of the dimensions that each tiled index of an equation stands in, which must be one. Nothing where an error
// was reported.
std::optional<std::map<std::string, recurrence::Affine>> tiled_ranges(const recurrence::Program& program,
                                                                      const Lift& lift,
                                                                      const recurrence::Equation& equation,
                                                                      Diagnostics& diagnostics);

} // namespace cyclotron::lower
