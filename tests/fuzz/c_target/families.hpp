// SPDX-License-Identifier: MIT
// Programs that random drafts do not reach: recurrences over sparse tensors, steps, several sparse operands.
#pragma once

#include "random_run.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::fuzz {

struct Family {
  std::string name;
  std::string text; // formats are chosen anew for every run
  std::map<std::string, Content> contents;
};

const std::vector<Family>& families();

} // namespace cyclotron::fuzz
