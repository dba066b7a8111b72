// SPDX-License-Identifier: MIT
// The arrays that kernels of lanes take: inputs as dense numbers in row-major order, and room for the outputs.
#pragma once

#include "driver/run_on.hpp"
#include "lower/code/lanes_to_code.hpp"

#include <map>
#include <set>
#include <string>

namespace cyclotron::driver {

struct LaneArrays {
  std::map<std::string, std::int64_t> sizes; // as the kernels call them
  std::map<std::string, void*> memories;
  std::map<std::string, std::int64_t> bytes;       // of the memories
  std::set<std::string> zero;                      // memories that hold nothing but zeros
  std::map<std::string, tensor::Tensor> converted; // inputs that were not dense
  std::map<std::string, std::vector<std::int16_t>> narrow;
  Outputs outputs; // dense, zero
};

// Outputs that are `unwanted` take no memory.
//
// The inputs that are dense are borrowed: the bindings must live as long.
std::optional<LaneArrays> lane_arrays(const lower::LanesCode& code, const recurrence::Program& program,
                                      const recurrence::Bindings& bindings, Diagnostics& diagnostics,
                                      const std::set<std::string>& unwanted = {});

} // namespace cyclotron::driver
