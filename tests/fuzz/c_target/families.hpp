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

inline Family plain(std::string name, std::string text) { return {std::move(name), std::move(text), {}}; }

const std::vector<Family>& families();
std::vector<Family> families_of_reductions(); // a part of them

// Those of a folder, which CYCLOTRON_FAMILIES puts in the place of all others: one program a file, `# L: lower` above
// it where an input must be of some kind.
std::vector<Family> families_in(const char* folder);

} // namespace cyclotron::fuzz
