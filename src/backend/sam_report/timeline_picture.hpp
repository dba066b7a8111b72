// SPDX-License-Identifier: MIT
// Who was busy when: a row for each block, time to the right, as SVG. Where a run is longer than the picture is wide,
// a column stands for several cycles and is the darker the more of them were work.
#pragma once

#include "backend/sam_report/figures.hpp"

#include <string>

namespace cyclotron::sam {

// Phases stand one after the other. Of a run that was not recorded, a row shows until when its block was at work, and
// how busy it was on average.
std::string timeline_svg(const Phases& phases);

} // namespace cyclotron::sam
