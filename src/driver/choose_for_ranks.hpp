// SPDX-License-Identifier: MIT
// A schedule for the ranks of a cluster where the user gives none: tiles, axes and placement that take the least time
// by a model of the machine.
#pragma once

#include "driver/compile_array.hpp"
#include "pe/machine_model.hpp"

namespace cyclotron::driver {

struct RankSchedule {
  CompiledArray compiled;
  double predicted_seconds = 0;
  int tried = 0; // schedules
};

// The schedule's tiles are chosen only where it is null; where no equation can be lifted to tiles, single elements.
std::optional<RankSchedule> choose_for_ranks(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                             const std::map<std::string, std::int64_t>& sizes, int ranks,
                                             const pe::MachineModel& machine, const ArrayOptions& options,
                                             Diagnostics& diagnostics);

// What a compiled program will take.
double predict_seconds(const pe::Program& program, int ranks, const pe::MachineModel& machine);

} // namespace cyclotron::driver
