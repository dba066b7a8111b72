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

  // The outputs that are wanted; none: all. Others that are dense are no outputs of the kernel, and of their elements
  // only those are kept that are still needed.
  std::vector<std::string> only;

  int index_bits = 32; // 32 or 64: of sparse outputs, where no input is sparse; otherwise it is the inputs'

  // Looks at the index arrays of every sparse view before they are used: a broken one would crash. Costs one pass over
  // them in each call. Without it they must be right.
  bool validate = true;

  // Target c. "": what the environment says, then what is found: see docs/c.md.
  std::string compiler;
  std::vector<std::string> flags; // beyond ours
  std::string cache_folder;
  bool use_cache = true;
  double compile_time_limit = 120; // seconds
};

} // namespace cyclotron
