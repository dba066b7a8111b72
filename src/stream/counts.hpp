// SPDX-License-Identifier: MIT
// How many blocks of each kind a graph has, counted as the published table of primitives counts: repeat signal
// generators and coordinate holders belong to the blocks they serve, fan-out is free.
#pragma once

#include "stream/ir.hpp"

#include <string>
#include <vector>

namespace cyclotron::stream {

struct Counts {
  int scan = 0;      // level scanners
  int repeat = 0;    //
  int intersect = 0; //
  int unite = 0;     //
  int alu = 0;       //
  int reduce = 0;    // of any order
  int drop = 0;      // coordinate droppers
  int write = 0;     // level writers, that of the values included
  int array = 0;     // arrays of values
  int other = 0;     // blocks that the table has no column for
  bool operator==(const Counts&) const = default;
};

Counts counts_of(const Graph& graph);
Counts counts_of(const std::vector<Graph>& phases); // of all together

struct CountsRow {
  std::string name;
  Counts counts;
};

// A header, then a line for each; the column of other blocks only where there are some.
std::string to_table(const std::vector<CountsRow>& rows);

} // namespace cyclotron::stream
