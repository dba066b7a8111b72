// SPDX-License-Identifier: MIT
#include "schedule/targets.hpp"

#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::schedule {

namespace {

// "`--target=array` and `--target=mpi` take it".
std::string takers_of(const CommandRow& row) {
  std::vector<std::string> names;
  for (const std::string_view target : row.targets) names.push_back(fmt::format("`--target={}`", target));
  if (names.empty()) return fmt::format("no target takes `{}` yet", row.name);
  return join_names(names) + (names.size() == 1 ? " takes it" : " take it");
}

} // namespace

bool takes(std::string_view target, const CommandRow& row) {
  return std::find(row.targets.begin(), row.targets.end(), target) != row.targets.end();
}

std::vector<std::string> commands_of(std::string_view target) {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table())
    if (takes(target, row)) names.push_back(fmt::format("`{}`", row.name));
  return names;
}

bool check_target(const Schedule* schedule, std::string_view target, Diagnostics& diagnostics) {
  if (!schedule) return true;
  const std::vector<std::string> known = commands_of(target);
  bool all = true;
  for (const Command& command : schedule->commands) {
    const CommandRow& row = *command_named(command.name);
    if (takes(target, row)) continue;
    all = false;
    diagnostics
        .unsupported(command.span,
                     fmt::format("the target `{}` does not take the schedule command `{}`", target, command.name))
        .with_hint(known.empty() ? fmt::format("leave the schedule out: `{}` takes none, and a schedule never changes "
                                               "what a program computes",
                                               target)
                                 : fmt::format("{}; `{}` takes {}", takers_of(row), target, join_names(known)));
  }
  return all;
}

} // namespace cyclotron::schedule
