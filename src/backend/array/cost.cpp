// SPDX-License-Identifier: MIT
#include "backend/array/cost.hpp"

#include <algorithm>
#include <cmath>

namespace cyclotron::array {

Time cycles_of(const recurrence::Kernel& kernel, const std::vector<recurrence::Tile>& arguments,
               const Machine& machine) {
  Time cycles = 1;
  if (const auto given = machine.kernel_cycles.find(std::string(kernel.name)); given != machine.kernel_cycles.end())
    cycles = given->second;
  else if (machine.cycles_per_multiply_add > 0) {
    std::vector<std::vector<std::int64_t>> dims;
    for (const recurrence::Tile& a : arguments) dims.push_back(a.dims);
    cycles = static_cast<Time>(std::ceil(machine.cycles_per_multiply_add * recurrence::multiply_adds(kernel, dims)));
  }
  return std::max<Time>(cycles, 1);
}

} // namespace cyclotron::array
