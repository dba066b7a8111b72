// SPDX-License-Identifier: MIT
// A space-time diagram: cycles to the right, PEs downwards, a box per step in the colour of its space, waiting in its
// own colours, and below how many PEs compute. Long runs and large arrays are drawn in bins: the colour of what took
// most of a bin, paler where it took less of it.
#pragma once

#include "backend/array/statistics.hpp"

#include <string>

namespace cyclotron::array_report {

std::string spacetime_svg(const array::Statistics& statistics);
std::string spacetime_html(const array::Statistics& statistics);

} // namespace cyclotron::array_report
