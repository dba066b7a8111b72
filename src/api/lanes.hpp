// SPDX-License-Identifier: MIT
// The targets `simd` and `cuda`: a program in the lanes of vectors, compiled once for all inputs.
//
// Kernels of lanes work with dense arrays in row-major order. What the caller has in another format is converted in
// each call, and so are results.
#pragma once

#include "api/state.hpp"
#include "backend/cuda/kernel.hpp"
#include "backend/simd/kernel.hpp"
#include "lower/code/lanes_to_code.hpp"

namespace cyclotron::detail {

struct CallState;

} // namespace cyclotron::detail

namespace cyclotron::api {

struct LanesKernel {
  lower::LanesCode code;                             // what tensors and sizes are called in the kernels
  std::shared_ptr<const backend::simd::Kernel> simd; // one of the two
  std::shared_ptr<backend::cuda::Kernel> cuda;
  std::shared_ptr<backend::cuda::Machine> machine; // of cuda

  const std::string& source() const { return simd ? simd->source() : cuda->text(); }
};

// Both throw Error.

// `unwanted`: outputs that are not computed as a whole. `name`: of the program.
std::shared_ptr<const LanesKernel> compile_lanes(const Loaded& loaded, const Options& options,
                                                 const std::set<std::string>& unwanted, const std::string& name,
                                                 const backend::c::BuildOptions& build);

void run_in_lanes(const detail::CallState& call);

} // namespace cyclotron::api
