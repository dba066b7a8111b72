// SPDX-License-Identifier: MIT
// What a machine computed, against what the program means.
#pragma once

#include "frontend/check.hpp"
#include "recurrence/interpret.hpp"

#include <set>

namespace cyclotron::driver {

// A sentence on how close they are, against the interpreter, or native code where that would take long. Nothing where
// they differ, which is reported as what `who` did wrong. Outputs in `left_out` are not compared.
std::optional<std::string> check_values(const frontend::Checked& checked, const recurrence::Bindings& bindings,
                                        const std::map<std::string, tensor::Tensor>& outputs,
                                        const std::set<std::string>& left_out, const std::string& who,
                                        Diagnostics& diagnostics);

} // namespace cyclotron::driver
