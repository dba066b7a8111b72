// SPDX-License-Identifier: MIT
// Nests of small programs and of the examples, in every order of their loops that is possible.
#pragma once

#include "frontend/check.hpp"
#include "lower/loops/recurrence_to_loops.hpp"

#include <functional>
#include <string>

namespace cyclotron::lower {

struct TestProgram {
  Sources sources;
  Diagnostics diagnostics{sources};
  frontend::Checked checked;

  explicit TestProgram(const std::string& text);

  // By the schedule `{ commands }`.
  std::optional<LoweredLoops> lowered(const std::string& commands);
  std::optional<loops::Nest> parsed(const std::string& nest);
  std::string printed(const loops::Nest& nest) const { return loops::print(nest, checked.program()); }
  std::string messages() const;
};

extern const std::string cholesky;

// Calls f with each right example, each of at most 24 orders of its variables that work, and the nest; once with loops
// shared wherever that is legal.
void each_placed_example(
    const std::function<void(const std::string& what, TestProgram& program, const loops::Nest& nest)>& f);

} // namespace cyclotron::lower
