// SPDX-License-Identifier: MIT
// How a program is compiled.
#pragma once

#include "cyclotron/schedule.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cyclotron {

struct Options {
  // "c"; "simd" and "cuda", an array in the lanes of vector registers or of a GPU (docs/lanes.md); or "interpret",
  // which is slow, and the meaning of every program.
  std::string target = "c";
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

  // Target cuda: which GPU; or the same kernels on this CPU, to try them.
  int gpu = 0;
  bool emulate = false;

  // Targets simd and cuda: sizes that are the same in every call. Few programs need them: those where it depends on the
  // sizes which element of an array is the first.
  std::map<std::string, std::int64_t> sizes;

  // Targets c and simd. If empty, the environment decides, then what is found: see docs/c.md.
  std::string compiler;
  std::vector<std::string> flags; // beyond ours
  std::string cache_folder;
  bool use_cache = true;
  double compile_time_limit = 120; // seconds
};

} // namespace cyclotron
