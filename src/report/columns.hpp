// SPDX-License-Identifier: MIT
// A table as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cyclotron::report {

using Row = std::vector<std::string>;

// Columns as wide as they must be; the first `left` of them start at the left, figures end at the right.
std::string aligned(const std::vector<Row>& rows, std::size_t left);

} // namespace cyclotron::report
