// SPDX-License-Identifier: MIT
// From a checked program to parallel patterns, and their arrays: what the host stores in the memory of the machine, and
// what it reads back.
#pragma once

#include "frontend/check.hpp"
#include "lower/pattern/loops_to_pattern.hpp"
#include "pattern/interpret.hpp"
#include "recurrence/interpret.hpp"
#include "schedule/ir.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace cyclotron::driver {

struct PatternRequest {
  const frontend::Checked* checked = nullptr;
  const schedule::Schedule* schedule = nullptr; // null: the order of the loops is chosen by the formats
  std::string name = "program";
  std::set<std::string> unwanted = {}; // outputs that nobody asks for
};

struct CompiledPattern {
  lower::LoweredPattern lowered;
  std::vector<std::string> order; // of the loops
};

std::optional<CompiledPattern> compile_pattern(const PatternRequest& request, Diagnostics& diagnostics);

// The arrays of all inputs.
std::optional<pattern::Arrays> pattern_arrays(const lower::LoweredPattern& lowered, const recurrence::Program& program,
                                              const recurrence::Bindings& bindings, Diagnostics& diagnostics);

// The results that a run has left, in the formats that the program declares.
std::optional<std::map<std::string, tensor::Tensor>> pattern_results(const lower::LoweredPattern& lowered,
                                                                     const recurrence::Program& program,
                                                                     const recurrence::Bindings& bindings,
                                                                     pattern::Arrays arrays, Diagnostics& diagnostics);

} // namespace cyclotron::driver
