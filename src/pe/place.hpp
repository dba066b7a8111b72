// SPDX-License-Identifier: MIT
// A program on its grid: which PEs there are, what role each plays, and where channels lead.
#pragma once

#include "pe/ir.hpp"

#include <functional>
#include <optional>

namespace cyclotron::pe {

using Values = std::function<std::int64_t(const std::string&)>; // of axes and variables

// Results beyond 64 bits are cut to the nearest number that fits.
std::int64_t apply(IndexOp op, std::int64_t a, std::int64_t b);
bool related(std::int64_t a, recurrence::Relation relation, std::int64_t b);
std::int64_t evaluate(const Index& index, const Values& value_of);
bool holds(const std::vector<Tests>& any, const Values& value_of);

struct Element {
  std::vector<std::int64_t> at; // its coordinates
  int role = -1;                // -1: it does nothing
};

class Grid {
public:
  explicit Grid(const Program& program);

  const std::vector<Element>& elements() const { return elements_; } // row-major
  int size() const { return static_cast<int>(elements_.size()); }

  // The PE that receives what this one sends into the channel, and the one that sends what this one receives; -1 where
  // that would be outside.
  int target(int element, const Channel& channel) const { return neighbour(element, channel, 1); }
  int source(int element, const Channel& channel) const { return neighbour(element, channel, -1); }

  // The links between neighbours that an element crosses, the shorter way around a torus.
  std::int64_t hops(const Channel& channel) const;

  std::string name(int element) const; // `[1,2]`

private:
  int neighbour(int element, const Channel& channel, int sign) const;

  std::vector<Axis> axes_;
  std::vector<bool> torus_;
  std::vector<Element> elements_;
};

} // namespace cyclotron::pe
