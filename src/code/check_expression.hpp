// SPDX-License-Identifier: MIT
// Whether the operands of an expression have the types that its operations want.
#pragma once

#include "code/scope.hpp"

namespace cyclotron::code {

// Thrown by the checks, and caught by find_problem.
struct Broken {
  Problem problem;
};

// What decides which memories may be used.
struct Surroundings {
  bool in_blocks = false;
  bool in_workers = false;
};

// The type; throws Broken.
Type checked_type(const Expr& expr, const Scope& scope, const Kernel& kernel, const Surroundings& around);

// Of a load or a store: whether it has lanes.
bool checked_place(const std::string& memory, const Expr& index, const Expr& stride, Span span, const Scope& scope,
                   const Kernel& kernel, const Surroundings& around);

} // namespace cyclotron::code
