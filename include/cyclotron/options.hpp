// SPDX-License-Identifier: MIT
// How a program is compiled.
#pragma once

#include "cyclotron/schedule.hpp"

#include <string>
#include <vector>

namespace cyclotron {

struct Options {
  std::string target = "c";           // or "interpret": slow, and the meaning of every program
  Schedule schedule;                  // empty: one is chosen, unless `schedule_name` says which
  std::string schedule_name;          // one that the program's text holds
  std::vector<std::string> all_steps; // stepped outputs of which every step is wanted, as a first dimension

  // The outputs that are wanted; if there is none here, all are. Dense outputs that are not wanted are not outputs of
  // the kernel, and only those of their elements are kept that are still needed.
  std::vector<std::string> only;

  int index_bits = 32; // 32 or 64: of sparse outputs, if no input is sparse; otherwise they have that of the inputs

  // Whether the index arrays of every sparse view are checked before they are used. The check takes one pass over them
  // in each call. Without it a wrong index array can crash the program.
  bool validate = true;

  // Target c. If empty, the environment decides, then what is found: see docs/c.md.
  std::string compiler;
  std::vector<std::string> flags; // beyond ours
  std::string cache_folder;
  bool use_cache = true;
  double compile_time_limit = 120; // seconds
};

} // namespace cyclotron
