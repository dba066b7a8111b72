// SPDX-License-Identifier: MIT
// The part of verification that is about expressions; problem_of(Program) in ir.hpp is the whole.
#pragma once

#include "pe/ir.hpp"

namespace cyclotron::pe {

// Empty where names, types and shapes of a computed value agree, else what is wrong.
std::string problem_of_value(const Compute& compute, const Step& step, const Program& program);

} // namespace cyclotron::pe
