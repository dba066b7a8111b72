// SPDX-License-Identifier: MIT
// The verbs of the command line as functions: each prints its result to stdout, its errors to stderr, and returns
// the exit code.
#pragma once

#include "driver/bind.hpp"
#include "driver/run_mpi.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::driver {

// 0: done. 1: the program or its inputs are wrong. 2: the command line cannot be read. 3: this target cannot do it.
// 70: a bug of ours.
enum ExitCode { success = 0, wrong_program = 1, wrong_usage = 2, unsupported = 3 };

struct CommonOptions {
  std::string program;
  std::string schedule;      // chosen by name; "" for none
  std::string schedule_file; // where to look for it, besides the program
  bool print_after_all = false;
  bool time_passes = false;
  bool json = false;
  std::vector<std::string> only; // the outputs that are wanted; none: all
};

struct RunOptions {
  CommonOptions common;
  std::vector<Assignment> inputs;
  std::vector<Assignment> outputs; // name and file
  std::vector<std::string> all_steps;
  std::string target = "c";
  MpiOptions mpi;       // with the target `mpi`
  bool emulate = false; // with the target `cuda`: on this CPU
};

struct CompileOptions {
  CommonOptions common;
  std::string emit = "recurrence";
  std::string output;                // file; "" for stdout
  bool explain = false;              // with `loops`: how they came about
  std::string target;                // "c": a folder that stands alone, in `output`; "" for `emit`
  std::vector<Assignment> inputs;    // for the folder's self-test
  std::string picture;               // file; with `lanes`: what the design looks like
  std::optional<std::int64_t> lanes; // of a vector, with `lanes`; else as many as usual
};

int run(const RunOptions& options);
int check(const CommonOptions& options);
int compile(const CompileOptions& options);
int compile_folder(const CompileOptions& options);
int compile_simd_folder(const CompileOptions& options);
int compile_cuda_folder(const CompileOptions& options);

// What `--emit` takes, with a line of explanation each, and the target that it is made for; "" for all.
struct EmitHelp {
  std::string name;
  std::string meaning;
  std::string target;
};
const std::vector<EmitHelp>& emit_help();

} // namespace cyclotron::driver
