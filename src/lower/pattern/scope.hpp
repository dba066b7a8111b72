// SPDX-License-Identifier: MIT
// What is known at one place of a pattern program: how far each access has been walked, and which arrays are on the
// chip. An inner body begins with a copy of what is known around it.
#pragma once

#include "lower/pattern/operands.hpp"
#include "pattern/build.hpp"

#include <map>
#include <set>
#include <string>

namespace cyclotron::lower {

using pattern::Body;

// Where an access is after some of its levels.
struct Walked {
  std::size_t levels = 0;
  pattern::Expr position; // in the last of them, over all fibers
  pattern::Expr rank;     // in its fiber, where the last one is compressed
  pattern::Expr present;  // whether it is there; missing: it is
};

// An array on the chip: all of it, or the piece that begins at level `from`.
struct Held {
  std::string memory;
  std::size_t from = 0;
  bool by_rank = false; // the piece is a fiber: its elements are found by their rank
};

struct Scope {
  std::set<std::string> bound;                     // loops around
  std::map<std::string, const loops::Loop*> loops; // the same, by their variables
  std::map<std::string, Walked> walked;            // by access
  std::map<std::string, Held> held;                // by access and array
  std::map<std::string, std::string> read;         // values that are in a variable, by access
  std::map<std::string, pattern::Expr> first;      // where the fiber of an access begins, in its array
  std::map<std::string, std::string> temporaries;  // their memories, by name and equation
  std::set<std::string> dense;                     // loops over all numbers
};

} // namespace cyclotron::lower
