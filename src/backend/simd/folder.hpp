// SPDX-License-Identifier: MIT
// Kernels as a folder of C that stands alone: the kernels with their vectors and a function that calls them, its
// header, a self-test with sample data, a Makefile and a README. Nothing in it needs Cyclotron.
#pragma once

#include "backend/c/folder.hpp"
#include "backend/c/kernel_folder.hpp"
#include "backend/simd/print_c.hpp"

#include <optional>
#include <string_view>

namespace cyclotron::backend::simd {

struct FolderSource : c::KernelFolder {
  std::int64_t register_bytes = 16; // of the machine that it is for
  bool threads = false;             // OpenMP's, for loops whose iterations run at once
};

// Nothing where an error was reported: too many numbers to be written out.
std::optional<std::vector<c::FolderFile>> folder_files(const FolderSource& source, Diagnostics& diagnostics);

// Of an array that the caller gives; truth values are 0 and 1.
std::string_view parameter_type(code::Scalar scalar);

// What C calls the parameters of the function: sizes, then memories.
class FolderNames {
public:
  FolderNames(const FolderSource& source, const std::vector<std::string>& functions);
  const c::Parameters& parameters() const { return parameters_; }
  const std::string& of_size(std::size_t s) const { return sizes_[s]; }
  const std::string& of_memory(std::size_t m) const { return memories_[m]; }
  std::string prototype() const; // without a semicolon

private:
  const FolderSource& source_;
  c::Parameters parameters_;
  std::vector<std::string> sizes_, memories_;
};

// The parts of it.
std::string kernels_text(const FolderSource& source, const CFile& file, const FolderNames& names); // folder_call.cpp
std::string self_test_text(const FolderSource& source, const FolderNames& names);                  // folder_sample.cpp

} // namespace cyclotron::backend::simd
