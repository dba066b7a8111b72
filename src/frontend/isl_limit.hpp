// SPDX-License-Identifier: MIT
// What happens when isl gives up: the program is refused, never half checked.
#pragma once

#include "frontend/check.hpp"

namespace cyclotron::frontend {

// The result of f, or, where isl reached its limit, an error and a program without domains.
template <class F> Checked within_isl_limit(const Checked& checked, Diagnostics& diagnostics, F f) {
  try {
    return f();
  } catch (const isl::exception&) {
    diagnostics.error("the index sets of this program are too complicated to check")
        .with_hint("simplify its constraints: many `!=` or `or` conditions multiply the cases");
    Checked result = checked;
    result.domains = {};
    return result;
  }
}

} // namespace cyclotron::frontend
