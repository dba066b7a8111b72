// SPDX-License-Identifier: MIT
// From which number to which something goes, as formulas of the sizes.
#pragma once

#include "lower/code/isl_to_code.hpp"

namespace cyclotron::lower {

struct Range {
  code::Expr first, last;
  code::Expr count() const; // none below 0
};

// `values` is a set of numbers, { [value] }, which must not be empty for all sizes. For sizes at which it is empty, the
// range may be any.
Range range_of(const isl::set& values, const isl::set& known, const Meanings& meanings);

// A range that contains it, made of sums, products and extremes only: of several formulas, one for each case, the least
// and the largest. How much memory is needed is said so.
Range range_around(const isl::set& values, const isl::set& known, const Meanings& meanings);

} // namespace cyclotron::lower
