// SPDX-License-Identifier: MIT
// Runs code that may crash, hang or end the process in a child process, and says what became of it.
#pragma once

#include <functional>
#include <string>

namespace cyclotron::fuzz {

struct Fate {
  std::string result;  // what the function returned, where it did
  std::string problem; // "" where it returned; else a signal, an exit code or too much time, with what stderr says
};

// Processor time is limited, so that a busy machine fails nothing; time on the wall only to many times as much.
Fate run_isolated(const std::function<std::string()>& function, int seconds = 5);

// The same for many cases in few processes: case i is `run(i)`, and a child that dies is replaced for the rest.
// Calls `report(i, problem)` for each case that died or returned a text that is not empty.
void run_all_isolated(int count, const std::function<std::string(int)>& run,
                      const std::function<void(int, const std::string&)>& report, int seconds = 5);

} // namespace cyclotron::fuzz
