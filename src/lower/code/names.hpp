// SPDX-License-Identifier: MIT
// Names in a kernel that no two things share.
#pragma once

#include "code/ir.hpp"

#include <set>
#include <string>

namespace cyclotron::lower {

class FreshNames {
public:
  // A name like `wish` that nothing has yet: letters, digits and `_`, with a number behind it where it is taken.
  std::string operator()(const std::string& wish) {
    std::string word;
    for (const char c : wish) word += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0]))) word = "v" + word;
    word = code::name_from(word);
    std::string name = word;
    for (int n = 2; !taken_.insert(name).second; ++n) name = word + std::to_string(n);
    return name;
  }

private:
  std::set<std::string> taken_;
};

} // namespace cyclotron::lower
