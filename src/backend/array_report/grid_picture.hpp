// SPDX-License-Identifier: MIT
// A picture of the grid: a cell per PE, coloured by its utilisation, with its role; and the dataflow as arrows, a
// colour per value, thicker where more messages went. Arrows that wrap around a torus leave the grid and enter it
// opposite.
//
// Up to 16 x 16 PEs everything is drawn; up to 64 x 64 cells without arrows; beyond that a cell is the mean of a block.
// The picture says what it leaves out.
#pragma once

#include "backend/array/statistics.hpp"

#include <string>

namespace cyclotron::array_report {

std::string grid_svg(const array::Statistics& statistics);
std::string grid_html(const array::Statistics& statistics);

} // namespace cyclotron::array_report
