// SPDX-License-Identifier: MIT
// Kernels as a folder that stands alone: the CUDA text, a function that launches it, a self-test with sample data, a
// Makefile for nvcc, and the header that lets the same files run on a CPU. Nothing in it needs Cyclotron.
#pragma once

#include "backend/c/folder.hpp"
#include "backend/c/kernel_folder.hpp"
#include "backend/cuda/kernel.hpp"

namespace cyclotron::backend::cuda {

struct FolderSource : c::KernelFolder {
  PrintOptions print;
};

// Nothing where an error was reported: too many numbers to be written out, or what a GPU cannot do.
std::optional<std::vector<c::FolderFile>> folder_files(const FolderSource& source, Diagnostics& diagnostics);

// The same, written; see c::write_folder. False where an error was reported.
bool write_folder(const std::string& path, const FolderSource& source, Diagnostics& diagnostics);

// The parts of it.
std::string host_text(const FolderSource& source);      // folder_host.cpp: the function
std::string self_test_text(const FolderSource& source); // folder_sample.cpp

} // namespace cyclotron::backend::cuda
