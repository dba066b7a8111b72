// SPDX-License-Identifier: MIT
// The schedules that a program could have on an array, before anyone asks whether they are legal: which indices are
// axes, in which order the others are steps, how each operand travels, and how a large array is brought to a small
// grid.
//
// All ways of the operands can be combined with every layout, so that schedules are numbered rather than listed.
#pragma once

#include "frontend/check.hpp"
#include "lower/mapping.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::explore {

struct ProblemOptions {
  std::vector<std::vector<std::string>> spaces; // the axes to try; none: every index, and every two of them
  std::vector<std::vector<std::int64_t>> grids; // {4, 4}: used with two axes; {}: as many PEs as the axes have values
  std::vector<std::int64_t> tiles = {1};        // 1: numbers, not tiles
  bool broadcasts = true;                       // there are wires to many PEs at once
};

struct Choice {
  lower::Mapping mapping;
  std::string grid; // `4x4`, or `whole`
  std::int64_t tile = 1;
};

class Problem {
public:
  // Nothing where an error was reported: a program that has no equations for an array, or an index that it has not.
  static std::optional<Problem> of(const frontend::Checked& checked, const ProblemOptions& options,
                                   Diagnostics& diagnostics);

  std::uint64_t count() const { return count_; } // saturates

  // The numbers below count(), or a sample of so many of them: from every layout in turn, first the one with the
  // default ways. The same for the same seed.
  std::vector<std::uint64_t> pick(std::uint64_t budget, std::uint64_t seed) const;

  Choice choice(std::uint64_t number) const;

private:
  // Everything but the ways.
  struct Layout {
    Choice choice;
    std::vector<std::vector<lower::Way>> ways; // per operand, the ones to choose from; or none of them
    std::uint64_t first = 0, count = 1;        // its numbers
  };
  friend class Enumeration;

  std::vector<Layout> layouts_;
  std::uint64_t count_ = 0;
};

} // namespace cyclotron::explore
