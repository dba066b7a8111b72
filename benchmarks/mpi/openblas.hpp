// SPDX-License-Identifier: MIT
// The two lines every contestant lies between: OpenBLAS alone on one rank, and what the cores could do without
// messages.
#pragma once

#include "contest.hpp"

namespace cyclotron::bench {

void one_thread_per_rank();

// dgemm, dtrsm or dpotrf of the whole problem on rank 0; the others wait.
Contestant openblas_of_one_rank(const Problem&);

// No solution, a speed: every rank multiplies at once what would be its block of the result, inner extent at most 1024.
Contestant ceiling(const Problem&, int ranks);

} // namespace cyclotron::bench
