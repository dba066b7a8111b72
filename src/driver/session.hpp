// SPDX-License-Identifier: MIT
// What every verb starts with: the sources, the diagnostics, the program read and checked.
#pragma once

#include "driver/commands.hpp"
#include "driver/loops_file.hpp"
#include "driver/pipelines.hpp"

#include <functional>
#include <set>

namespace cyclotron::driver {

// Shows what was printed so far. Throws std::system_error where it cannot be written, as fmt::print does: a full disk
// can make any line fail, and `main` says so.
void flush_output();

// Runs the verb; with `--time-passes`, then prints where the time of the process went, to standard error.
int with_pass_times(const CommonOptions& options, const std::function<int()>& verb);

class Session {
public:
  explicit Session(const CommonOptions& options) : options_(options), diagnostics_(sources_), only_(options.only) {
    if (options.print_after_all) pipeline_.printer = std::make_shared<PassPrinter>();
  }

  // Reads, checks and, where one was asked for, finds the schedule. Nothing where errors were reported. `with_loops`:
  // the program may be a `.loops` file.
  const frontend::Checked* load(bool with_loops = false);

  // Those of a `.loops` file; null: they are to be placed.
  std::shared_ptr<const lower::LoweredLoops> loops() const { return loops_file_ ? loops_file_->loops : nullptr; }
  const std::optional<LoopsFile>& loops_file() const { return loops_file_; }

  // The outputs that are wanted; none: all.
  const std::vector<std::string>& only() const { return only_; }

  // Whether the loops of a `.loops` file can be used so. `what` wants them placed, or not at all.
  bool takes_loops(std::string_view what);

  // Prints what was reported and turns it into an exit code.
  int finish() const;

  Sources& sources() { return sources_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  const schedule::Schedule* schedule() const { return schedule_; }
  std::set<std::string> unwanted() const;                       // outputs that `--only` leaves out
  const PipelineOptions& pipeline() const { return pipeline_; } // for all that the verb runs
  double front_end_seconds() const { return result_.seconds; }
  std::string folder() const; // that of the program
  std::string base_name() const;

  // Adds a file to the sources; reports one that cannot be read.
  std::optional<std::int32_t> read_file(const std::string& path);

private:
  const frontend::Checked* load_loops_file(bool with_loops);
  void choose_schedule();
  void check_only();

  const CommonOptions& options_;
  PipelineOptions pipeline_;
  Sources sources_;
  Diagnostics diagnostics_;
  FrontEndResult result_;
  std::vector<schedule::Schedule> extra_schedules_;
  const schedule::Schedule* schedule_ = nullptr;
  std::optional<LoopsFile> loops_file_;
  std::vector<std::string> only_;
};

} // namespace cyclotron::driver
