// SPDX-License-Identifier: MIT
// Values that are passed from element to element, read where they are computed instead. Between processing elements a
// value needs links; in memory it can be found from anywhere.
//
//   (i, j, k)_v <- (i-1, j, k)_v : 1 <= i      (i, j, k)_V <- … (i, j, k)_v …   -->   … (k, j-1)_V^F …
//   (0, j, k)_v <- (k, j-1)_V^F
#pragma once

#include "lanes/flows.hpp"

#include <functional>

namespace cyclotron::lower {

// Finds a value that is only passed on, in a way for which `which` holds, and replaces a read of it. The rule that
// reads is split where the value comes from several. False where there is none.
bool fetch_value(dataflow::Program& program, const std::function<bool(const lanes::Flow&)>& which);

} // namespace cyclotron::lower
