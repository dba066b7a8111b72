// SPDX-License-Identifier: MIT
// The number of cycles of an array as a formula of the sizes, from its timing function: of all points of a pass, the
// last step less the first, times the number of passes.
//
//   t = i + j + k    -->    m + n + p - 2
//   in tiles of 4 x 4       (p + 6) * ceil(m/4) * ceil(n/4)
#pragma once

#include "lower/dataflow/recurrence_to_dataflow.hpp"

namespace cyclotron::lower {

using recurrence::Affine;

struct ClosedForm {
  Affine pass; // cycles of one, in sizes
  struct Tiles {
    Affine extent; // in sizes
    std::int64_t size = 1;
  };
  std::vector<Tiles> tiles; // the passes: the product of ceil(extent / size)

  std::int64_t pass_cycles(const std::map<std::string, std::int64_t>& sizes) const;
  std::int64_t cycles(const std::map<std::string, std::int64_t>& sizes) const;
  std::string text() const;
};

// Nothing where there is no linear timing, or the last step is not one formula.
std::optional<ClosedForm> closed_form_of(const LoweredDataflow& lowered);

} // namespace cyclotron::lower
