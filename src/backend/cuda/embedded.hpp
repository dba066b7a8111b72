// SPDX-License-Identifier: MIT
// The files of runtime/ as text; CMake makes the source of it.
#pragma once

#include <string_view>

namespace cyclotron::backend::cuda {

extern const std::string_view prelude_text;          // prelude.cuh: what every CUDA text begins with
extern const std::string_view emulation_text;        // cuda_on_cpu.hpp: what lets such text run on a CPU
extern const std::string_view emulated_runtime_text; // cuda_runtime_on_cpu.hpp: and a program that launches it

} // namespace cyclotron::backend::cuda
