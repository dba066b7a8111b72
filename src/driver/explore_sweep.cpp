// SPDX-License-Identifier: MIT
#include "driver/explore_sweep.hpp"

#include "recurrence/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace cyclotron::driver {

OwnProgram::OwnProgram(const ExploreSweep& sweep) {
  Diagnostics diagnostics(sources_);
  front_end_ = run_front_end(sources_.add(sweep.file, sweep.text), {}, diagnostics);
  if (!front_end_.checked) bug("a program that was accepted is not accepted again");
}

std::map<std::string, array::Time> kernel_cycles_of(std::int64_t tile, double cycles_per_multiply_add) {
  std::map<std::string, array::Time> cycles;
  for (const recurrence::Kernel& k : recurrence::kernel_table()) {
    std::vector<std::vector<std::int64_t>> dims;
    for (const std::string_view letters : k.arguments) dims.emplace_back(letters.size(), tile);
    const double time = std::ceil(cycles_per_multiply_add * recurrence::multiply_adds(k, dims));
    cycles[std::string(k.name)] = std::max<array::Time>(1, static_cast<array::Time>(time));
  }
  return cycles;
}

} // namespace cyclotron::driver
