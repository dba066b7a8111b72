// SPDX-License-Identifier: MIT
// Whether a name is in a list of names.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace cyclotron::lower {

inline bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace cyclotron::lower
