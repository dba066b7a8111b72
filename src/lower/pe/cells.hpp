// SPDX-License-Identifier: MIT
// What happens at each point: spaces split into cells whose points all do the same.
#pragma once

#include "lower/pe/storage.hpp"

namespace cyclotron::lower {

// Points of one space whose steps have the same actions.
struct Cell {
  int space = 0;
  isl::set points;
  std::vector<pe::Action> actions;
};

// Fills in the registers and channels that the actions use.
std::vector<Cell> cells_of(const dataflow::Program& program, const std::vector<Read>& reads,
                           const std::vector<Link>& links, const Stores& stores, pe::Program& to);

} // namespace cyclotron::lower
