// SPDX-License-Identifier: MIT
// What a kernel of lanes has noticed, in the words of the interpreter.
#pragma once

#include "frontend/check.hpp"
#include "recurrence/interpret.hpp"

namespace cyclotron::driver {

// `answer`: what the kernel returned, and not 0. The interpreter finds the element and reports it. Where it finds
// nothing wrong, lanes compute what they cannot, and the report says so.
void report_lanes_failure(const frontend::Checked& checked, const recurrence::Bindings& bindings, std::int64_t answer,
                          Diagnostics& diagnostics);

} // namespace cyclotron::driver
