// SPDX-License-Identifier: MIT
// From what the caller gave (files, generators, sizes) and the program's defaults to every size and every input.
#pragma once

#include "recurrence/interpret.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::driver {

// `A=a.mtx`, `b=random:seed=1`, `n=1000`, as given.
struct Assignment {
  std::string name;
  std::string value;
};

// Where an input came from, for the summary.
struct BoundInputs {
  recurrence::Bindings bindings;
  std::map<std::string, std::string> origin; // "a.mtx", "spd(n=200, seed=1)"
  std::vector<std::string> patterns;         // inputs from files that say where elements are, and not what
};

// `folder` is where a default's file is looked up: that of the program.
// Reports names that the program does not have, files that do not fit, sizes that disagree or are missing,
// assumptions that do not hold.
std::optional<BoundInputs> bind_inputs(const recurrence::Program& program, const std::vector<Assignment>& assignments,
                                       const std::string& folder, Sources& sources, Diagnostics& diagnostics);

// Where the computation failed on its numbers, says which of them are ones that no file holds.
void note_patterns(const BoundInputs& inputs, Diagnostics& diagnostics);

} // namespace cyclotron::driver
