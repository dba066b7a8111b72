// SPDX-License-Identifier: MIT
// Where these times come from: processor, compilers, flags.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cyclotron::bench {

std::vector<std::pair<std::string, std::string>> machine();
std::string machine_text(); // a Markdown list

} // namespace cyclotron::bench
