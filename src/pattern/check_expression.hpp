// SPDX-License-Identifier: MIT
// Whether names are used as their kind allows, and whether operands have the types that their operations want.
#pragma once

#include "pattern/scope.hpp"

namespace cyclotron::pattern {

// Thrown by the checks, and caught by find_problem.
struct Broken {
  Problem problem;
};

// The type; throws Broken. A Dequeue is refused: whoever allows one looks for it before.
ValueType checked_type(const Expr& expr, const Scope& scope);

// What the name stands for; throws Broken where nothing does.
const Named& known(const std::string& name, Span span, const Scope& scope);

// Whether numbers of this type can be reduced so.
bool reduces(Reducer reducer, ValueType type);

} // namespace cyclotron::pattern
