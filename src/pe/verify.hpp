// SPDX-License-Identifier: MIT
// Parts of verification that others need; problem_of(Program) in ir.hpp is the whole.
#pragma once

#include "pe/ir.hpp"

namespace cyclotron::pe {

// Statements one inside the other, and operators of a number: keeps every recursive walk over a program shallow.
constexpr int deepest_body = 100;

// Empty where names, types and shapes of a computed value agree, else what is wrong.
std::string problem_of_value(const Compute& compute, const Step& step, const Program& program);

} // namespace cyclotron::pe
