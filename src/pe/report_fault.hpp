// SPDX-License-Identifier: MIT
// What is said where a PE cannot do what its program says, in the same words on every machine.
#pragma once

#include "pe/execute.hpp"

#include <string>
#include <vector>

namespace cyclotron::pe {

// `name`: of the PE. Its `fault` must be one.
void report_fault(const Program& program, const Position& at, const std::string& name,
                  const std::vector<std::string>& spaces, Diagnostics& diagnostics);

} // namespace cyclotron::pe
