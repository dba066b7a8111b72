// SPDX-License-Identifier: MIT
// How far the loops of an equation run. An index that stands alone in a dimension runs over that dimension. Any other
// index runs as far as the constraints allow, which is known only once sizes are numbers: in `y(2*i+1) = a(i)`, i ends
// where 2*i+1 leaves y.
#pragma once

#include "frontend/check.hpp"

#include <map>
#include <optional>
#include <string>

namespace cyclotron::lower {

// The coordinates of a loop count from 0, its index from `first`, which is negative or 0.
struct StreamRange {
  recurrence::Affine extent;
  std::int64_t first = 0;
};

class StreamRanges {
public:
  // `sizes`: none where they are not known, and `need_sizes` says that nobody asks for them.
  StreamRanges(const recurrence::Equation& equation, const frontend::Checked& checked,
               const std::map<std::string, std::int64_t>& sizes);

  // Nothing where isl gives up.
  std::optional<StreamRange> of_output(const std::string& index) const;
  std::optional<StreamRange> of_reduced(const recurrence::Expr& reduce, const std::string& variable) const;

  bool equal(const recurrence::Affine& a, const recurrence::Affine& b) const; // at these sizes, or at all
  // With numbers in the place of sizes.
  recurrence::Affine at_sizes(const recurrence::Affine& affine) const;

  static bool need_sizes(const recurrence::Equation& equation, const recurrence::Program& program);

private:
  std::optional<StreamRange> range_in(const isl::set& domain, std::size_t dimension) const;

  const recurrence::Equation& equation_;
  const frontend::Checked& checked_;
  const recurrence::Program& program_;
  const std::map<std::string, std::int64_t>& sizes_;
  std::map<std::string, recurrence::Affine> numbers_; // of the sizes
};

} // namespace cyclotron::lower
