// SPDX-License-Identifier: MIT
// Where each PE keeps its values: a register, a ring or a table, the smallest in which nothing is overwritten that is
// still needed.
#pragma once

#include "lower/pe/channels.hpp"
#include "pe/ir.hpp"

namespace cyclotron::lower {

// The place of a value, or of what arrives over a link.
struct Keep {
  std::string name;                     // of the register
  std::vector<std::size_t> coordinates; // of the element, by which its table is indexed
  std::vector<pe::Register::Extent> table;

  pe::Slot at(const recurrence::Point& element) const;
};

struct Stores {
  std::vector<Keep> values; // as in Program::values
  std::vector<Keep> links;  // as the links; for those that keep what they receive
  // Per space: its rules in the order in which a step evaluates them.
  std::vector<std::vector<std::size_t>> rules;
};

// Refuses values of one point that need each other.
std::optional<Stores> stores_of(const dataflow::Program& program, const std::vector<Order>& orders,
                                const std::vector<Read>& reads, const std::vector<Link>& links,
                                Diagnostics& diagnostics);

} // namespace cyclotron::lower
