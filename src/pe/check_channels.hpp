// SPDX-License-Identifier: MIT
// Before anything runs: all that is sent is received, and no processing element waits for ever.
#pragma once

#include "pe/rehearse.hpp"
#include "support/diagnostics.hpp"

namespace cyclotron::pe {

// Reports what is not so. Returns the rehearsal by which it was found out; nothing where there is an error, or where
// the program is too large to be rehearsed.
std::optional<Rehearsal> check_channels(const Program& program, Diagnostics& diagnostics);

} // namespace cyclotron::pe
