// SPDX-License-Identifier: MIT
// What all points of a sweep share: the program, its inputs, and what a machine of the sweep is.
#pragma once

#include "backend/array/machine.hpp"
#include "driver/pipelines.hpp"
#include "recurrence/interpret.hpp"

#include <memory>
#include <set>

namespace cyclotron::driver {

struct ExploreSweep {
  std::string file, text;             // of the program
  recurrence::Bindings bindings;      // tensors dense
  std::set<std::string> unwanted;     // outputs that need not leave the array
  double cycles_per_multiply_add = 1; // of kernels, where PEs work on tiles
};

// One reading of the program. isl's objects belong to one thread: whoever compiles reads the program for itself.
class OwnProgram {
public:
  explicit OwnProgram(const ExploreSweep& sweep);
  const frontend::Checked& checked() const { return *front_end_.checked; }
  Sources& sources() { return sources_; }

private:
  Sources sources_;
  FrontEndResult front_end_;
};

// A kernel takes as long as its multiply-adds on whole tiles.
std::map<std::string, array::Time> kernel_cycles_of(std::int64_t tile, double cycles_per_multiply_add);

} // namespace cyclotron::driver
