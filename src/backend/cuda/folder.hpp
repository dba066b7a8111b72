// SPDX-License-Identifier: MIT
// Kernels as a folder that stands alone: the CUDA text, a function that launches it, a self-test with sample data, a
// Makefile for nvcc, and the header that lets the same files run on a CPU. Nothing in it needs Cyclotron.
#pragma once

#include "backend/c/folder.hpp"
#include "backend/cuda/kernel.hpp"

#include <variant>

namespace cyclotron::backend::cuda {

using Values = std::variant<std::vector<std::uint8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
                            std::vector<std::int64_t>, std::vector<float>, std::vector<double>>;

// One array of the self-test. Inputs have their values here, results what must come out; what only lies between two
// kernels has as many elements as values. Results and what lies between begin as zeros.
struct SampleArray {
  enum class Kind { input, result, between } kind = Kind::input;
  std::string name;
  Values values;
};

struct FolderSource {
  std::string name;    // of the function and the files
  std::string title;   // the program's file
  std::string comment; // what it computes: lines, none of which ends with a backslash
  std::string origin;  // of the sample data: "the program's defaults"
  std::vector<code::Kernel> kernels;
  PrintOptions print;
  Sizes sizes;                      // of the sample
  std::vector<SampleArray> sample;  // every memory of the kernels
  std::vector<std::string> answers; // what `fail 1`, `fail 2`, ... mean
};

// Nothing where an error was reported: too many numbers to be written out, or what a GPU cannot do.
std::optional<std::vector<c::FolderFile>> folder_files(const FolderSource& source, Diagnostics& diagnostics);

// The same, written; see c::write_folder. False where an error was reported.
bool write_folder(const std::string& path, const FolderSource& source, Diagnostics& diagnostics);

// The parts of it.
std::string host_text(const FolderSource& source);      // folder_host.cpp: the function
std::string self_test_text(const FolderSource& source); // folder_sample.cpp

// Sizes and memories of all kernels, each once, in the order of the function's parameters.
struct Parameters {
  std::vector<std::string> sizes;
  std::vector<code::Memory> memories; // a result where some kernel writes it
};
Parameters parameters_of(const std::vector<code::Kernel>& kernels);

} // namespace cyclotron::backend::cuda
