// SPDX-License-Identifier: MIT
// The meaning of a pattern program: its statements one after the other, one iteration after the other. What prints or
// simulates programs is compared with this.
#pragma once

#include "pattern/value.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::pattern {

// What the host gives, and gets back: every dram, those that are `out` as long as they get.
struct Arrays {
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, std::vector<Word>> drams;
};

// Why a run stopped: `mistake` where the program did what no program may do, such as reading what nobody wrote; else
// its numbers are not defined or do not fit.
struct Stopped {
  std::string message;
  bool mistake = true;
};

// Nothing where it ran to its end. Drams that are `out` and missing in `arrays` begin as zeros.
std::optional<Stopped> interpret(const Program& program, Arrays& arrays);

} // namespace cyclotron::pattern
