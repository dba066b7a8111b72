// SPDX-License-Identifier: MIT
// Passes report mistakes as diagnostics. Here these become exceptions, for callers of the public headers.
#pragma once

#include "cyclotron/error.hpp"
#include "support/diagnostics.hpp"

#include <memory>
#include <string>

namespace cyclotron::api {

// Throws all that was reported as one Error.
[[noreturn]] void raise(const Diagnostics& diagnostics);
inline void raise_if_failed(const Diagnostics& diagnostics) {
  if (diagnostics.failed()) raise(diagnostics);
}

// Something wrong with a call, which has no place in a text.
[[noreturn]] void raise(const std::string& message, const std::string& hint = "");

// What an object of the interface holds; an Error where it was moved from.
template <class T> const std::shared_ptr<T>& held(const std::shared_ptr<T>& state, const char* what) {
  if (!state) raise(std::string("this ") + what + " was moved from");
  return state;
}

} // namespace cyclotron::api
