// SPDX-License-Identifier: MIT
// A timeline in the trace format of Chrome, which Perfetto (ui.perfetto.dev) opens: a track per PE with its steps and
// waits by name, and a counter of PEs that compute. A cycle is shown as a microsecond.
#pragma once

#include "backend/array/statistics.hpp"

#include <string>

namespace cyclotron::array_report {

// Where steps were not recorded, the intervals stand for them; where neither were, the time from first to last step.
std::string chrome_trace(const array::Statistics& statistics);

} // namespace cyclotron::array_report
