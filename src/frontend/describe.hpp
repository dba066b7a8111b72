// SPDX-License-Identifier: MIT
// Elements and conditions in the user's own notation, for messages.
#pragma once

#include "recurrence/domains.hpp"

#include <functional>
#include <string>

namespace cyclotron::frontend {

// `L(2, 0)`, `D^3(1, 1)`: an access with its index expressions evaluated.
std::string describe_element(const recurrence::Expr& access, const recurrence::Program& program,
                             const std::function<std::int64_t(const std::string&)>& value_of);

// `i >= 1`, `j < n`: a condition as a user would write the constraint.
std::string describe_condition(const recurrence::Condition& condition);

} // namespace cyclotron::frontend
