// SPDX-License-Identifier: MIT
#include "support/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace cyclotron {

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool color_welcome() { return variable("NO_COLOR").empty() && variable("TERM") != "dumb"; }

} // namespace

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

bool line_can_move_on_stderr() {
  return stderr_is_terminal() && !variable("TERM").empty() && variable("TERM") != "dumb";
}

bool color_on_stderr() { return stderr_is_terminal() && color_welcome(); }
bool color_on_stdout() { return isatty(STDOUT_FILENO) != 0 && color_welcome(); }

} // namespace cyclotron
