// SPDX-License-Identifier: MIT
// What one source text holds: a program and its schedules.
#pragma once

#include "recurrence/ir.hpp"
#include "schedule/ir.hpp"

namespace cyclotron::frontend {

struct Unit {
  recurrence::Program program;
  std::vector<schedule::Schedule> schedules;
  bool operator==(const Unit&) const = default;
};

std::string print(const Unit& unit);

} // namespace cyclotron::frontend
