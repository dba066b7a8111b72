// SPDX-License-Identifier: MIT
// Programs as lanes, and what is known about how their values travel.
#pragma once

#include "lanes/ir.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace cyclotron::lanes {

struct Wanted {
  std::string schedule{};          // of the program, by name; "": none
  std::set<std::string> outputs{}; // none: all
  std::int64_t lanes = 16;
};

// Nothing where the program has no lanes; `messages`, where given, then says why.
std::optional<Program> compiled(const std::string& text, const Wanted& wanted = {}, std::string* messages = nullptr);

std::string example(const std::string& name); // the text of examples/NAME.cyc

// Every value and how those that need it get it, a line each, in the order of the text:
//
//   X: copy, moves -1, 1 step back, loaded at the edge; coalesced
std::string ways_of(const Program& program);

} // namespace cyclotron::lanes
