// SPDX-License-Identifier: MIT
// A timeline of a run of streams in the trace format of Chrome, which Perfetto (ui.perfetto.dev) opens: a track per
// block with its work and waits, the critical path on a track of its own, and a counter of blocks that work.
#pragma once

#include "backend/sam_report/figures.hpp"

#include <string>

namespace cyclotron::sam {

// A phase begins where the one before it ends. Where nothing was recorded, a block's track shows when it ended.
std::string chrome_trace(const Phases& phases);

} // namespace cyclotron::sam
