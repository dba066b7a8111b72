// SPDX-License-Identifier: MIT
// Kernels of lanes, run in one of the ways there are: by the interpreter of the code IR, which also finds elements
// outside of their memories; compiled for vector registers; compiled as CUDA for this CPU in the place of a GPU.
// With CYCLOTRON_TEST_GPU=1 in the environment they run on the GPU of this machine instead.
#pragma once

#include "backend/cuda/kernel.hpp"
#include "backend/simd/kernel.hpp"
#include "driver/lane_arrays.hpp"
#include "recurrence/interpret.hpp"
#include "tensor/tensor.hpp"

#include <memory>

namespace cyclotron::fuzz {

enum class RunsOn { interpreter, registers, gpu };
const char* name_of(RunsOn machine);
bool on_real_gpu();

class LaneKernel {
public:
  // Nothing where an error was reported.
  static std::optional<LaneKernel> make(lower::LanesCode code, RunsOn machine, Diagnostics& diagnostics);

  struct Answer {
    std::map<std::string, tensor::Tensor> outputs; // in the formats of the program
    bool failed = false;                           // the kernels noticed something
    std::string problem;                           // "" unless something is wrong with the kernels
  };
  Answer run(const recurrence::Program& program, const recurrence::Bindings& bindings, Diagnostics& diagnostics) const;

private:
  // 0, or what the kernels noticed; nothing where there is a problem.
  std::optional<std::int64_t> call(driver::LaneArrays& arrays, std::string& problem, Diagnostics& diagnostics) const;
  std::optional<std::int64_t> interpret(driver::LaneArrays& arrays, std::string& problem) const;

  lower::LanesCode code_;
  RunsOn machine_ = RunsOn::interpreter;
  std::shared_ptr<const backend::simd::Kernel> registers_;
  std::shared_ptr<backend::cuda::Kernel> gpu_;
};

} // namespace cyclotron::fuzz
