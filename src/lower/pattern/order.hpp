// SPDX-License-Identifier: MIT
// The order of the loops where no schedule says one: a tensor is walked level by level, so the loops come in the order
// in which its levels are stored, as far as all tensors agree.
#pragma once

#include "recurrence/ir.hpp"

#include <string>
#include <vector>

namespace cyclotron::lower {

// `variables`: all of them, in the order that is taken where the formats do not mind.
std::vector<std::string> order_by_formats(const recurrence::Program& program,
                                          const std::vector<std::string>& variables);

} // namespace cyclotron::lower
