// SPDX-License-Identifier: MIT
// What placement has found out about the parts of a program that does not depend on the order of loops. It is kept from
// one order that is tried to the next.
#pragma once

#include "lower/loops/bounds.hpp"
#include "lower/loops/parts.hpp"

#include <memory>

namespace cyclotron::lower {

// What is left of a dependence once the variables of the loops so far are equal on both sides.
struct Rest {
  isl::map relation;
  struct Step {
    bool forward = false, backward = false; // some instance moves on, or back, along these variables
    std::unique_ptr<Rest> equal;            // null where none stays in the same iteration
  };
  std::map<std::pair<std::size_t, std::size_t>, Step> steps; // by variables of both sides

  const Step& along(std::size_t from, std::size_t to, recurrence::IslContext& context);
};

// Which loop variable each own variable of a part became.
using Names = std::map<std::string, std::string>;

// A range with a text that equal ranges share, for comparing and for questions that were asked before.
struct KnownRange {
  loops::Range range;
  std::string key;
};

std::string key_of(const loops::Range& range);
std::string described(const Names& names);

struct PlaceMemory {
  PlaceMemory(const Parts& parts, const recurrence::Program& program, recurrence::IslContext& isl_context);

  recurrence::IslContext& context;
  Bounds bounds;
  std::vector<std::unique_ptr<Rest>> dependences; // as those of the parts
  std::map<std::string, KnownRange> ranges;       // of a part's variable inside loops, by question
};

} // namespace cyclotron::lower
