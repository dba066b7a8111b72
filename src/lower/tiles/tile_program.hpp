// SPDX-License-Identifier: MIT
// A program over tiles as an array takes it: checked like one that a user wrote, and at the sizes of a run.
#pragma once

#include "frontend/check.hpp"
#include "lower/array_sizes.hpp"
#include "lower/tiles/lift_to_tiles.hpp"

namespace cyclotron::lower {

struct TileProgram {
  frontend::Checked checked;
  Lifted lifted;
};

// Nothing where an error was reported.
std::optional<TileProgram> tile_program(const frontend::Checked& original, const Lift& lift, Diagnostics& diagnostics);

// The sizes of the program over tiles, given those of the original one. Tensors of tiles stay in memory as the user has
// them: `A(n_by_4, p_by_4, 4, 4)` is an array of n × p in blocks of 4 × 4.
ArraySizes tile_sizes(const Lifted& lifted, const recurrence::Program& original,
                      const std::map<std::string, std::int64_t>& sizes);

} // namespace cyclotron::lower
