// SPDX-License-Identifier: MIT
// Every target, once: what it is, and which verbs of the command line it has. Who runs what, the help and the messages
// all read this table. Which schedule commands a target takes stands in the table of commands (schedule/table.cpp).
#pragma once

#include "driver/explore.hpp"
#include "driver/run_on.hpp"
#include "driver/simulate.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::driver {

struct Target {
  std::string_view name;
  std::string_view meaning; // what `--target=NAME` does, for the help
  std::string_view takes;   // the IR that it starts from, as `--emit=` names it
  std::string_view started; // what runs it
  std::string_view refuses;
  std::vector<std::string_view> files; // endings of what it takes besides programs: IRs that somebody wrote or kept
  // The verbs; nullptr for those that it does not have.
  std::optional<TargetResult> (*run)(const TargetRun&) = nullptr;
  int (*simulate)(const SimulateOptions&) = nullptr;
  int (*compile)(const CompileOptions&) = nullptr;
  int (*explore)(const ExploreOptions&) = nullptr;
};

enum class Verb { run, simulate, compile, explore };
std::string_view name_of(Verb verb);
bool has(const Target& target, Verb verb);

const std::vector<Target>& target_table();
const Target* target_named(std::string_view name);
std::vector<std::string> targets_with(Verb verb);

// The target whose file this is, by its ending; "" for a program, which all take.
std::string target_of_file(std::string_view path);

// The target of that name; reports where there is none, where it does not have the verb, and where it does not take
// such a file.
const Target* find_target(std::string_view name, Verb verb, std::string_view file, Diagnostics& diagnostics);

} // namespace cyclotron::driver
