// SPDX-License-Identifier: MIT
// Cyclotron's contestant: the recurrence of the operation, compiled with the schedule that is chosen by default.
#pragma once

#include "contest.hpp"

namespace cyclotron::bench {

Contestant ours(const Problem& problem);

} // namespace cyclotron::bench
