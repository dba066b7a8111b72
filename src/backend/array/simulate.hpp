// SPDX-License-Identifier: MIT
// Programs of PEs and inputs --> outputs, and what the run was like, cycle by cycle.
//
// The time of a step:
//   - First it loads and receives. The clock of the PE waits until the last element is there.
//   - What it only passes on leaves then. What it computes leaves in its last cycle.
//   - It costs one cycle, or as many as its kernels. A step that only loads through a port to memory costs none.
//   - An element arrives the latency of its hops after it left.
#pragma once

#include "backend/array/machine.hpp"
#include "backend/array/statistics.hpp"
#include "pe/ir.hpp"
#include "tensor/tensor.hpp"

#include <map>
#include <optional>
#include <string>

namespace cyclotron::array {

struct Result {
  std::map<std::string, tensor::Tensor> outputs; // dense
  Statistics statistics;
};

// Reports what the machine lacks before the run, and in the run what fails: where, on which PE, in which cycle.
std::optional<Result> simulate(const pe::Program& program, const std::map<std::string, tensor::Tensor>& inputs,
                               const Machine& machine, const SimulationSettings& settings, Diagnostics& diagnostics);

} // namespace cyclotron::array
