// SPDX-License-Identifier: MIT
// A program as a folder of C that stands alone: the kernel, its header, a self-test with sample data, build files and a
// README. Nothing in it needs Cyclotron.
#pragma once

#include "backend/c/kernel.hpp"

#include <string>
#include <vector>

namespace cyclotron::backend::c {

struct FolderFile {
  std::string name;
  std::string text;
};

// What the self-test computes, and what must come out.
struct Sample {
  recurrence::Bindings bindings;
  Outputs structure;  // what `Kernel::analyse` found
  Outputs expected;   // what the interpreter computed
  std::string origin; // "the program's defaults"
};

struct FolderSource {
  const recurrence::Program& program;
  const recurrence::Domains& domains;
  const Kernel& kernel;
  Emitted emitted;   // with 32-bit positions
  std::string title; // the program's file
};

// Every file begins with `made_by`, so that we know them again.
inline constexpr std::string_view made_by = "made by Cyclotron";

// Reports sample data that is too large to be written out.
std::optional<std::vector<FolderFile>> folder_files(const FolderSource& source, const Sample& sample,
                                                    Diagnostics& diagnostics);

// The parts of it.
std::string header_text(const FolderSource& source);                                        // folder_header.cpp
std::string self_test_text(const FolderSource& source, const Sample& sample, Diagnostics&); // folder_sample.cpp

// Whether inputs and results are few enough to be written out; `expected` is not looked at, so that nobody need compute
// it in vain. False where an error was reported.
bool sample_fits(const Emitted& emitted, const Sample& sample, Diagnostics& diagnostics); // folder_sample.cpp

// Written aside and put in place at once. A folder that we wrote before is replaced; one that holds anything else is
// refused. False where an error was reported.
bool write_folder(const std::string& path, const std::vector<FolderFile>& files, Diagnostics& diagnostics);

} // namespace cyclotron::backend::c
