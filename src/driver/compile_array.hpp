// SPDX-License-Identifier: MIT
// From a checked program and a schedule to one program per processing element, at the sizes of a run: what stands
// between the passes. The pipelines themselves are in pipelines.cpp.
#pragma once

#include "driver/pass_printer.hpp"
#include "lower/dataflow/closed_form.hpp"
#include "lower/dataflow/recurrence_to_dataflow.hpp"
#include "lower/lanes/lane_machine.hpp"
#include "lower/tiles/tile_program.hpp"
#include "pe/ir.hpp"
#include "schedule/ir.hpp"

#include <set>

namespace cyclotron::driver {

struct ArrayOptions {
  std::string name;               // of the program
  std::vector<std::string> torus; // axes whose ends are joined
  std::set<std::string> unwanted; // outputs that need not leave the array
  PipelineOptions pipeline = {};
};

struct ArrayRequest {
  const frontend::Checked* checked = nullptr;
  const schedule::Schedule* schedule = nullptr; // null: the axes are chosen
  std::optional<lower::Mapping> mapping{};      // instead of a schedule
  std::map<std::string, std::int64_t> sizes{};
  ArrayOptions options{};
  std::optional<lower::LaneMachine> machine{}; // for lanes: what the target has
};

// What the schedule says about an array, and the program that it says it of.
struct MappedProgram {
  ArrayRequest request;
  lower::Mapping mapping;
  std::shared_ptr<const lower::TileProgram> tiles; // null: the program is not lifted to tiles
  std::optional<lower::LaneMachine> machine{};     // for lanes: as the schedule wants it

  const frontend::Checked& checked() const { return tiles ? tiles->checked : *request.checked; }
};

struct ArrayDataflow {
  MappedProgram source;
  lower::LoweredDataflow lowered;
};

struct CompiledArray {
  MappedProgram source;
  lower::LoweredDataflow dataflow;
  std::optional<lower::ClosedForm> closed_form;
  pe::Program program;

  std::string describe() const; // the schedule with what was chosen, and the timing: a few lines
};

// The pipelines. For dataflow no sizes are needed.
std::optional<MappedProgram> map_program(ArrayRequest request, Diagnostics& diagnostics);
std::optional<ArrayDataflow> compile_dataflow(ArrayRequest request, Diagnostics& diagnostics);
std::optional<CompiledArray> compile_array(ArrayRequest request, Diagnostics& diagnostics);

// The same from dataflow recurrences that a user wrote: no program and no schedule stand behind them.
std::optional<CompiledArray> compile_written_dataflow(ArrayDataflow written, Diagnostics& diagnostics);

// Which indices could be axes, the most natural first; none where the mapping does not fit the program.
std::vector<std::vector<std::string>> axes_of(const frontend::Checked& checked, const lower::Mapping& mapping,
                                              Diagnostics& diagnostics);

// Makes the array with axes that are given.
using WithAxes = std::optional<CompiledArray> (*)(MappedProgram program, Diagnostics& diagnostics);

// The axes as the schedule has them; else the first choice that works on an array of a usual size, or the smallest
// array.
std::optional<CompiledArray> choose_axes(MappedProgram program, WithAxes with_axes, Diagnostics& diagnostics);

} // namespace cyclotron::driver
