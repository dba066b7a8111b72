// SPDX-License-Identifier: MIT
// The operations of the language as those of ALUs.
#pragma once

#include "recurrence/ir.hpp"
#include "stream/ir.hpp"

#include <vector>

namespace cyclotron::lower {

stream::Operation operation_of(recurrence::BinaryOp op);
stream::Operation operation_of(recurrence::Function function);

// The operation on numbers.
double evaluate(stream::Operation operation, const std::vector<double>& operands);

} // namespace cyclotron::lower
