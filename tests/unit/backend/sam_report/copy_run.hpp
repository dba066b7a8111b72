// SPDX-License-Identifier: MIT
// A run of four blocks in which every figure is known: x(i) = b(i) with two entries.
#pragma once

#include "backend/sam_report/figures.hpp"

namespace cyclotron::sam {

stream::Graph copy_graph();
Run copy_run();

// The same, stuck: the writer of the values has got nothing.
Run stuck_run();

} // namespace cyclotron::sam
