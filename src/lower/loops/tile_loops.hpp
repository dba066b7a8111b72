// SPDX-License-Identifier: MIT
// The loops that `tile` commands make.
#pragma once

#include "lower/loops/parts.hpp"
#include "schedule/ir.hpp"

namespace cyclotron {
class Diagnostics;
}

namespace cyclotron::lower {

class TileLoops {
public:
  // `tile c by 4, 16 -> oc, cc, ccc`: ccc counts within 16, cc within 4 of these, oc the rest. Without names the parts
  // of i are i_tile (with more sizes i_tile2, ...) and i.
  void add(const schedule::Command& tile, Diagnostics& diagnostics);

  const std::vector<Split>& splits() const { return splits_; }
  const std::vector<std::string>& names() const { return names_; } // of loops over blocks

  // What the innermost part of a tiled loop, which may have a name of its own, counts.
  const std::string& variable(const std::string& name) const;

  // Loops over blocks that an order does not mention go outside, in the order of their inner loops.
  void add_outside(std::vector<std::string>& order) const;

  // Or right outside their inner loops.
  void add_beside(std::vector<std::string>& order) const;

private:
  std::vector<Split> splits_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> inner_; // by name
};

} // namespace cyclotron::lower
