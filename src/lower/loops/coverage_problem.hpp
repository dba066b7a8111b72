// SPDX-License-Identifier: MIT
// Whether the statements of a nest run where the equations need them, for all sizes: nowhere else, and no term of a
// reduction twice. What lowering makes does; this is for nests that people write.
#pragma once

#include "frontend/check.hpp"
#include "loops/ir.hpp"

#include <optional>
#include <string>

namespace cyclotron::lower {

struct NestProblem {
  std::string message;
  const loops::Statement* at = nullptr;
};

// Nothing where all is well. The nest must be one of this program.
std::optional<NestProblem> coverage_problem(const loops::Nest& nest, const frontend::Checked& checked);

} // namespace cyclotron::lower
