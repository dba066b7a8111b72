// SPDX-License-Identifier: MIT
// Where the innermost loops are written out: one slot for each of their iterations, and registers for each slot.
//
//   time t, p unrolled, q unrolled, 0 <= p <= 1, 0 <= q <= 2   -->   6 slots; (p, q) has slot 3*p + q
#pragma once

#include "lanes/flows.hpp"
#include "lanes/ir.hpp"

#include <optional>
#include <set>

namespace cyclotron::lanes {

// The values that a component of time takes, at all sizes.
struct Extent {
  std::int64_t first = 0, count = 0;
};
std::optional<Extent> extent_of(const Program& program, std::size_t component); // nothing where it is not bounded

class Slots {
public:
  explicit Slots(const Program& program); // its components that are unrolled have extents

  std::size_t count() const { return count_; }
  // From the values of all components of time, of which those count that are unrolled. Nothing where one of these has
  // no such iteration.
  std::optional<std::size_t> of(const std::vector<std::int64_t>& time) const;
  // How many slots lie between two times that are so many steps apart.
  std::int64_t apart(const std::vector<std::int64_t>& steps) const;
  // Those from which a read takes its values, and those that a rule computes.
  std::set<std::size_t> read_by(const Flow& flow) const;
  std::set<std::size_t> written_by(const dataflow::Rule& rule) const;

private:
  std::set<std::size_t> at(const isl::set& points, const dataflow::Space& space, const recurrence::Point& time) const;

  const Program& program_;
  std::vector<std::optional<Extent>> extents_; // as the components; nothing for those that are loops
  std::size_t count_ = 1;
};

} // namespace cyclotron::lanes
