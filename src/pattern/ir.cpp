// SPDX-License-Identifier: MIT
#include "pattern/ir.hpp"

#include <algorithm>

namespace cyclotron::pattern {

const Dram* Program::dram(const std::string& wanted) const {
  const auto found = std::find_if(drams.begin(), drams.end(), [&](const Dram& d) { return d.name == wanted; });
  return found == drams.end() ? nullptr : &*found;
}

} // namespace cyclotron::pattern
