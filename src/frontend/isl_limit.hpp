// SPDX-License-Identifier: MIT
// What a check leaves where a question about index sets is too hard: the program without domains, never half checked.
#pragma once

#include "frontend/check.hpp"
#include "recurrence/isl_limit.hpp"

namespace cyclotron::frontend {

constexpr const char* simpler_constraints = "simplify its constraints: many `!=` or `or` conditions multiply the cases";

inline Checked without_domains(const Checked& checked) {
  Checked result = checked;
  result.domains = {};
  return result;
}

} // namespace cyclotron::frontend
