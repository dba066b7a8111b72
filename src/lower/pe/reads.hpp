// SPDX-License-Identifier: MIT
// Which values each rule reads, from which PE: what storage and channels are made of. The program has fixed sizes.
#pragma once

#include "dataflow/ir.hpp"
#include "support/diagnostics.hpp"

#include <optional>
#include <vector>

namespace cyclotron::lower {

// A value of some point, read by a rule at all its points.
struct Read {
  std::size_t rule = 0;
  dataflow::Reference what;
  isl::map element;                 // point of the reader -> point whose value it is
  std::vector<std::int64_t> offset; // place of the reader - place of the element: the way that it travels
  bool own = false;                 // the element is the reader's own point
  Span span;

  bool is_local() const;
};

// Where and when: maps from points of each space, all sizes fixed.
struct Order {
  isl::map place; // { [point] -> [axes] }
  isl::map step;  // { [point] -> [time, number of the space] }: the order of steps on one PE
};
std::vector<Order> orders_of(const dataflow::Program& program);

// Extents of the grid that offsets wrap around on, per axis; 0 where they do not.
using Wrap = std::vector<std::int64_t>;

// Every read of every rule. Refuses two steps of one PE at the same time, values that travel different ways in one
// rule, and values that are not there yet.
std::optional<std::vector<Read>> reads_of(const dataflow::Program& program, const std::vector<Order>& orders,
                                          const Wrap& wrap, Diagnostics& diagnostics);

} // namespace cyclotron::lower
