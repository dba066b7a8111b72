// SPDX-License-Identifier: MIT
// From a checked program to native code: what stands between the passes, and kernels made of it. The pipelines
// themselves are in pipelines.cpp.
#pragma once

#include "backend/c/kernel.hpp"
#include "driver/pass_printer.hpp"

namespace cyclotron::driver {

struct KernelRequest {
  const frontend::Checked* checked = nullptr; // outlives the kernel
  const schedule::Schedule* schedule = nullptr;
  backend::c::KernelOptions options{};
  PipelineOptions pipeline{};
};

// The program as the kernel computes it, and the form of the kernel that is wanted.
struct KernelStage {
  backend::c::KernelProgram program;
  backend::c::Form form;
  PipelineOptions pipeline;
};

struct PlacedLoops {
  KernelStage kernel;
  lower::LoweredLoops loops;
};

// The loops alone, and one form of the kernel as C, nothing built.
std::optional<PlacedLoops> to_loops(KernelRequest request, Diagnostics& diagnostics);
std::optional<backend::c::Written> to_c(KernelRequest request, Diagnostics& diagnostics);

// A kernel that is remembered needs no C, and another may need it in several forms: so the way to C has two halves, and
// kernels run the second one when they have to.
std::optional<KernelStage> to_kernel_program(KernelRequest request, Diagnostics& diagnostics);
std::optional<backend::c::Written> kernel_program_to_c(KernelStage kernel, Diagnostics& diagnostics);

// Compiled and loaded; null where an error was reported.
std::shared_ptr<const backend::c::Kernel> make_kernel(KernelRequest request, Diagnostics& diagnostics);
// The same, nothing built.
std::shared_ptr<backend::c::Kernel> unbuilt_kernel(KernelRequest request, Diagnostics& diagnostics);

} // namespace cyclotron::driver
