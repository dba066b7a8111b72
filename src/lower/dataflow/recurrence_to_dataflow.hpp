// SPDX-License-Identifier: MIT
// From equations to dataflow recurrences: values that belong to points of iteration spaces, which have a place and a
// time.
#pragma once

#include "dataflow/ir.hpp"
#include "frontend/check.hpp"
#include "lower/dataflow/find_timing.hpp"
#include "lower/mapping.hpp"

namespace cyclotron::lower {

struct LoweredDataflow {
  dataflow::Program program;
  Mapping mapping;     // as given, with what was chosen where nothing was
  bool chosen = false; // the axes were
  // How a timing is found: where the steps are loops, it is not, because few programs need one. Nothing where the steps
  // are those of a map.
  std::optional<TimingSearch> timing_search = std::nullopt;
};

// Which indices could be axes where the schedule does not say: pairs, then single ones, the most natural first.
std::vector<std::vector<std::string>> axis_choices(const frontend::Checked& checked, const Mapping& mapping,
                                                   Diagnostics& diagnostics);

// Reports commands that do not fit, values that cannot reach where they are needed, and orders of steps that violate a
// dependence.
std::optional<LoweredDataflow> recurrence_to_dataflow(const frontend::Checked& checked, const Mapping& mapping,
                                                      Diagnostics& diagnostics);

} // namespace cyclotron::lower
