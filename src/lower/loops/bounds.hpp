// SPDX-License-Identifier: MIT
// Loop bounds and guards from the conditions of a part.
#pragma once

#include "loops/ir.hpp"

#include <map>
#include <memory>
#include <set>

namespace cyclotron::lower {

using loops::Affine;
using loops::Condition;

// The loops around a place.
struct ScopeLoop {
  ScopeLoop(std::string variable, const std::vector<loops::Range>& ranges);

  std::string name;
  std::shared_ptr<const std::vector<std::vector<Condition>>> any_of; // of the variable, one list for each range
};
using Scope = std::vector<ScopeLoop>;

Affine renamed(const Affine& affine, const std::map<std::string, std::string>& names);
std::vector<Condition> renamed(const std::vector<Condition>& conditions,
                               const std::map<std::string, std::string>& names);

class Bounds {
public:
  Bounds(recurrence::IslContext& context, const recurrence::Program& program);

  // The range of `variable` inside these loops, by the conditions on it, on sizes and on the loops' variables; names
  // outside all of these are eliminated where nothing else bounds it. Bounds that follow from others are left out.
  loops::Range range_of(const std::vector<Condition>& conditions, const std::string& variable, const Scope& scope);

  // Whether every value in `range` is in `other`.
  bool inside(const loops::Range& range, const loops::Range& other, const Scope& scope);

  // Those of the conditions that the loops do not see to.
  std::vector<Condition> guard_of(const std::vector<Condition>& conditions, const Scope& scope);

private:
  // Whether `conclusions` hold at every point of the loops (and value of `variable`) that satisfies `conditions`.
  bool implied(const Scope& scope, const std::string& variable, const std::vector<Condition>& conditions,
               const std::vector<Condition>& conclusions);
  bool implied_by_isl(const Scope& scope, const std::string& variable, const std::vector<Condition>& conditions,
                      const std::vector<Condition>& conclusions);

  recurrence::IslContext& context_;
  const recurrence::Program& program_;
  std::vector<Condition> of_sizes_;   // what is known of them
  std::map<std::string, bool> known_; // answers of isl, by question
};

// As conditions on the variable: what `range` says.
std::vector<Condition> conditions_of(const std::string& variable, const loops::Range& range);

} // namespace cyclotron::lower
