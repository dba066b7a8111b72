// SPDX-License-Identifier: MIT
// Kernels from text, for tests.
#pragma once

#include "code/ir.hpp"

#include <gtest/gtest.h>

namespace cyclotron::code {

// The kernel, or what is wrong with the text.
inline std::optional<Kernel> read(const std::string& text, std::string& report) {
  Sources sources;
  Diagnostics diagnostics(sources);
  auto kernel = parse(sources.add("x.code", text), diagnostics);
  report = diagnostics.render(false);
  EXPECT_EQ(bool(kernel), !diagnostics.failed());
  return kernel;
}

// A text that is right.
inline Kernel kernel_of(const std::string& text) {
  std::string report;
  const auto kernel = read(text, report);
  EXPECT_TRUE(kernel) << report;
  return kernel ? *kernel : Kernel{};
}

// A text whose mistakes only the verifier sees, or none: the first message, or "".
inline std::string message_of(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  parse(sources.add("x.code", text), diagnostics);
  return diagnostics.failed() ? diagnostics.all()[0].main.message : "";
}

} // namespace cyclotron::code
