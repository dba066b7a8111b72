// SPDX-License-Identifier: MIT
// What every verb starts with: the sources, the diagnostics, the program read and checked.
#pragma once

#include "driver/commands.hpp"
#include "driver/pipelines.hpp"

#include <chrono>
#include <set>

namespace cyclotron::driver {

// Shows what was printed so far. Throws std::system_error where it cannot be written, as fmt::print does: a full disk
// can make any line fail, and `main` says so.
void flush_output();

class Session {
public:
  explicit Session(const CommonOptions& options) : options_(options), diagnostics_(sources_) {}

  // Reads, checks and, where one was asked for, finds the schedule. Nothing where errors were reported.
  const frontend::Checked* load();

  // Prints what was reported and turns it into an exit code.
  int finish() const;

  Sources& sources() { return sources_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  const schedule::Schedule* schedule() const { return schedule_; }
  std::set<std::string> unwanted() const; // outputs that `--only` leaves out
  double front_end_seconds() const;
  std::string folder() const; // that of the program
  std::string base_name() const;

  // Adds a file to the sources; reports one that cannot be read.
  std::optional<std::int32_t> read_file(const std::string& path);

private:
  void choose_schedule();
  void check_only();
  void print_times() const;

  const CommonOptions& options_;
  Sources sources_;
  Diagnostics diagnostics_;
  FrontEndResult result_;
  std::vector<schedule::Schedule> extra_schedules_;
  const schedule::Schedule* schedule_ = nullptr;
};

} // namespace cyclotron::driver
