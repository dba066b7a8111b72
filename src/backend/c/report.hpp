// SPDX-License-Identifier: MIT
// What we say where a kernel cannot be built.
#pragma once

#include "support/diagnostics.hpp"
#include "support/program.hpp"

#include <string>
#include <vector>

namespace cyclotron::backend::c {

// The compiler did not do it. `source` is where the text can be read.
void report_compiler(const std::string& compiler, const ProgramRun& run, double time_limit, const std::string& source,
                     Diagnostics& diagnostics);

// The compiler did it, but the system does not load what it made.
void report_loading(const std::string& compiler, const std::string& problem, const std::string& source,
                    Diagnostics& diagnostics);

// Said once, however many kernels there are.
void warn_about_folder(const std::string& folder, const std::string& trouble, Diagnostics& diagnostics);

// Why the compiler failed, where that was for want of space on the disk; "" otherwise.
std::string disk_trouble(const ProgramRun& run);

// Where to read a source that failed: its place in a lasting folder, or else a copy that outlives us.
std::string kept_source(const std::string& path, bool lasting);

} // namespace cyclotron::backend::c
