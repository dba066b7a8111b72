// SPDX-License-Identifier: MIT
// Bars along the array: how every PE spent its time, computing at the bottom, then waiting to receive, waiting to send,
// idle. A grid of several axes has a panel for each (the mean over the others), and where all its sides are equal one
// for the diagonal. More than 64 bars are joined to means.
#pragma once

#include "backend/array/statistics.hpp"

#include <string>

namespace cyclotron::array_report {

std::string utilisation_svg(const array::Statistics& statistics);
std::string utilisation_html(const array::Statistics& statistics);

} // namespace cyclotron::array_report
