// SPDX-License-Identifier: MIT
// From a checked program and a schedule to one program per processing element, at the sizes of a run.
#pragma once

#include "lower/dataflow/closed_form.hpp"
#include "lower/dataflow/recurrence_to_dataflow.hpp"
#include "pe/ir.hpp"
#include "schedule/ir.hpp"

namespace cyclotron::driver {

struct ArrayOptions {
  std::string name;               // of the program
  std::vector<std::string> torus; // axes whose ends are joined
  std::set<std::string> unwanted; // outputs that need not leave the array
};

struct CompiledArray {
  std::shared_ptr<frontend::Checked> lifted; // of tiles, where the schedule lifts
  lower::LoweredDataflow dataflow;
  std::optional<lower::ClosedForm> closed_form;
  pe::Program program;

  std::string describe() const; // the schedule with what was chosen, and the timing: a few lines
};

// The schedule may be null: then the axes are chosen.
std::optional<CompiledArray> compile_array(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                           const std::map<std::string, std::int64_t>& sizes,
                                           const ArrayOptions& options, Diagnostics& diagnostics);
std::optional<CompiledArray> compile_array(const frontend::Checked& checked, const lower::Mapping& mapping,
                                           const std::map<std::string, std::int64_t>& sizes,
                                           const ArrayOptions& options, Diagnostics& diagnostics);

// Which indices could be axes, the most natural first; none where the mapping does not fit the program.
std::vector<std::vector<std::string>> axes_of(const frontend::Checked& checked, const lower::Mapping& mapping,
                                              Diagnostics& diagnostics);

// Before anything runs: all that is sent is received, and no processing element waits for ever. Reports what is not so.
bool check_channels(const pe::Program& program, Diagnostics& diagnostics);

// Only as far as no sizes are needed.
std::optional<lower::LoweredDataflow> compile_dataflow(const frontend::Checked& checked,
                                                       const schedule::Schedule* schedule,
                                                       std::shared_ptr<frontend::Checked>& lifted,
                                                       Diagnostics& diagnostics);

} // namespace cyclotron::driver
