// SPDX-License-Identifier: MIT
// What can go wrong with numbers while a program runs, in the same words for every target.
#pragma once

#include "recurrence/types.hpp"
#include "support/diagnostics.hpp"

#include <string>

namespace cyclotron::recurrence {

// The numbers are those that generated code returns.
enum class Failure { none = 0, divides_by_zero = 1, root_of_negative = 2, log_of_negative = 3 };

// `element`: what was being computed, such as `L(3, 3)`.
void report_failure(Failure failure, Span span, const std::string& element, Diagnostics& diagnostics);

// Whether `report_failure` wrote it.
bool reports_failure(const Diagnostic& diagnostic);

// What to do about a whole number that overflows while an equation is computed.
std::string overflow_hint(const Program& program, const Equation& equation);

// Whether dividing by it always works: it is not zero, nor as the smallest of the types has it.
bool is_safe_divisor(const Number& divisor);

// A quotient, root or logarithm is not defined for all operands, nor is what some kernels make of tiles.
bool may_be_undefined(const Expr& expr);

// Whether computing it where nobody asks could be an error: it may be undefined, or a whole number that does not fit.
bool can_fail(const Expr& expr, const Types& types);

} // namespace cyclotron::recurrence
