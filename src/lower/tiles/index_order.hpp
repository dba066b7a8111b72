// SPDX-License-Identifier: MIT
// What follows from comparisons between index variables, such as `k < j` and `j < i`; decided with isl.
#pragma once

#include "recurrence/polyhedra.hpp"

namespace cyclotron::lower {

// `left < right` between two index variables.
struct Comparison {
  std::string left;
  recurrence::Relation relation = recurrence::Relation::less;
  std::string right;

  bool mentions(const std::string& name) const { return left == name || right == name; }
  bool operator==(const Comparison&) const = default;
};

using Comparisons = std::vector<Comparison>;

class IndexOrder {
public:
  bool possible(const Comparisons& all) const;
  bool follows(const Comparison& one, const Comparisons& known) const;
  bool equivalent(const Comparisons& a, const Comparisons& b) const;

private:
  isl::set set_of(const Comparisons& all, const std::vector<std::string>& names) const;

  recurrence::IslContext context_;
  recurrence::Program no_sizes_;
};

Comparisons operator+(Comparisons a, const Comparisons& b);

} // namespace cyclotron::lower
