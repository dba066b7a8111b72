// SPDX-License-Identifier: MIT
// The border between passes, which report, and callers, who catch.
#pragma once

#include "cyclotron/error.hpp"
#include "support/diagnostics.hpp"

#include <string>

namespace cyclotron::api {

// Throws all that was reported as one Error.
[[noreturn]] void raise(const Diagnostics& diagnostics);
inline void raise_if_failed(const Diagnostics& diagnostics) {
  if (diagnostics.failed()) raise(diagnostics);
}

// Something wrong with a call, which has no place in a text.
[[noreturn]] void raise(const std::string& message, const std::string& hint = "");

} // namespace cyclotron::api
