// SPDX-License-Identifier: MIT
// The C compiler of this machine: where it is, which one it is, and how we call it.
#pragma once

#include "support/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::backend::c {

struct Compiler {
  std::vector<std::string>
      command;          // its path, and further words where it was named with some: `ccache gcc`, `gcc -m64`
  std::string identity; // path, size and time of its files: changes where the compiler is replaced
};

// `wanted`, or where that is "" $CYCLOTRON_CC, $CC, or the first of cc, gcc and clang in PATH. A name that is given
// and not found is an error: somebody meant it.
std::optional<Compiler> find_compiler(const std::string& wanted, Diagnostics& diagnostics);

// The first line of `--version`. Starts the compiler only where neither this process nor `memory_folder` (may be "")
// knows the answer. Nothing where it does not answer in time, which is reported.
std::optional<std::string> compiler_version(const Compiler& compiler, const std::string& memory_folder,
                                            double time_limit, Diagnostics& diagnostics);

// "gcc 12.2.0" from "cc (Debian 12.2.0-14) 12.2.0"; a line of another form as it is.
std::string short_version(const std::string& version_line);

constexpr std::string_view memory_prefix = "compiler-"; // names of the files in the memory folder

} // namespace cyclotron::backend::c
