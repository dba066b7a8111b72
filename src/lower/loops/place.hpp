// SPDX-License-Identifier: MIT
// Places the parts of a program (the pieces of its equations, see parts.hpp) in a loop nest.
//
// At each depth the parts that need each other, directly or around a circle, must share a loop: for each of them one
// of its variables is chosen so that no dependence runs backwards (decided by isl). Parts that are not in a circle
// follow each other in the order of their dependences, and share a loop where that is legal and their ranges are the
// same. Dependences that a loop carries are satisfied; what is left is placed inside it, one depth further.
//
// This is the paper's greedy placement: at the start of iteration i of a loop everything that earlier iterations wrote
// is ready, and a part may stand where all that it reads is ready. The paper assumes this by induction; here isl
// decides it.
#pragma once

#include "lower/loops/parts.hpp"
#include "lower/loops/place_memory.hpp"

namespace cyclotron::lower {

// Why an order was impossible: the dependence that runs backwards.
struct Obstacle {
  std::size_t dependence = 0;
  bool known = false;
};

struct PlaceResult {
  std::optional<std::vector<loops::Node>> body;
  Obstacle obstacle;
  bool gave_up = false; // too many possibilities were tried
};

// Whether parts of two loops should share one where that is legal: the formats may speak against it. Each part comes
// with the variable that it would run along.
using MayShare =
    std::function<bool(const std::map<std::size_t, std::string>&, const std::map<std::size_t, std::string>&)>;

// Tensors whose writers and readers share the loops over these variables wherever that is legal, whatever their ranges.
struct Together {
  std::set<std::string> tensors, variables;
  std::set<std::string> apart{}; // tensors whose readers share no other loop with their writers
};

// `order`: the loops wanted, outermost first. `memory` is of the same parts. `types` gains the types of the renamed
// expressions.
PlaceResult place(const Parts& parts, const std::vector<std::string>& order, const recurrence::Program& program,
                  PlaceMemory& memory, const MayShare& may_share, recurrence::Types& types,
                  const Together& together = {});

} // namespace cyclotron::lower
