// SPDX-License-Identifier: MIT
// The verbs of the command line: each adds its options to the program's, and runs when it was named. A file each.
#pragma once

#include "target_options.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>

struct Verb {
  CLI::App* command = nullptr;
  std::function<int()> run;               // the exit code
  std::string needs, usage;               // what must stand behind the verb, and how to write it
  std::shared_ptr<TargetOptions> targets; // of the verbs that have some
};

Verb add_run(CLI::App& app);
Verb add_check(CLI::App& app);
Verb add_compile(CLI::App& app);
Verb add_simulate(CLI::App& app);
Verb add_explore(CLI::App& app);
Verb add_study(CLI::App& app);
Verb add_list(CLI::App& app);

// What `list generators` prints, which is part of the help of `run`, too.
std::string generators_text();
