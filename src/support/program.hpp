// SPDX-License-Identifier: MIT
// Runs another program and waits for it. No shell is involved: each argument arrives as it is.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cyclotron {

struct ProgramRun {
  enum class End { exited, by_signal, out_of_time, not_started };
  End end = End::not_started;
  int status = 0;     // exited: its exit status; by_signal: the signal; not_started: errno
  std::string output; // stdout and stderr together; of a long output the beginning

  bool succeeded() const { return end == End::exited && status == 0; }
};

// `arguments[0]` is the program's path, not searched for. Its stdin is empty, it inherits no descriptor of ours, and
// `environment` is set beyond ours. After `time_limit` seconds it is killed with all that it started; once
// `is_unwanted` says so it is asked to end (SIGTERM), and killed where it takes more than a few seconds for that.
// Without that it is killed where we are to end ourselves (unfinished.hpp).
ProgramRun run_program(const std::vector<std::string>& arguments,
                       const std::vector<std::pair<std::string, std::string>>& environment, double time_limit,
                       const std::function<bool()>& is_unwanted = {});

// Where a program of that name is, as a shell would find it; "" where there is none. Relative folders of PATH are
// passed over: what they hold depends on where we stand.
std::string find_program(const std::string& name);

// How it ended, in words to follow the program's name: "ended with status 1", "was killed by signal 9 (Killed)".
std::string describe_end(const ProgramRun& run);

} // namespace cyclotron
