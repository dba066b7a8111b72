// SPDX-License-Identifier: MIT
// Which target takes which schedule command, as the table of commands says.
#pragma once

#include "schedule/ir.hpp"

namespace cyclotron::schedule {

bool takes(std::string_view target, const CommandRow& row);

// The commands that a target takes, each in backquotes, in the order of the table.
std::vector<std::string> commands_of(std::string_view target);

// Reports every command that the target does not take, with the targets that do. True where it takes all of them, and
// where there is no schedule.
bool check_target(const Schedule* schedule, std::string_view target, Diagnostics& diagnostics);

} // namespace cyclotron::schedule
