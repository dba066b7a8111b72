// SPDX-License-Identifier: MIT
// A dataflow program at given sizes. Where all are given, no size, constant or parameter is left in it.
#pragma once

#include "dataflow/ir.hpp"

#include <map>
#include <string>

namespace cyclotron::lower {

// (i, j, p-1)_C : j < n   -->   (i, j, 7)_C : j < 5. Sizes without a value stay.
dataflow::Program with_fixed_sizes(const dataflow::Program& program, const std::map<std::string, std::int64_t>& sizes);

} // namespace cyclotron::lower
