// SPDX-License-Identifier: MIT
// Which names statements mention: what tells the printer whether somebody still needs a memory.
#pragma once

#include "pattern/ir.hpp"

#include <set>
#include <string>

namespace cyclotron::backend::rda {

struct Mentions {
  std::set<std::string> names; // of memories and variables, also those that the statements declare
  std::set<std::string> read_at_an_index;
};

Mentions mentions_of(const pattern::Body& body);

bool mentions(const pattern::Statement& statement, const std::string& name);

} // namespace cyclotron::backend::rda
