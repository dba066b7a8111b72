// SPDX-License-Identifier: MIT
// C identifiers for the user's names: the same wherever C allows it, never a word of C or a name of ours.
#pragma once

#include <set>
#include <string>

namespace cyclotron::backend::c {

class NameTable {
public:
  // A name that nobody has yet: `wanted`, or `wanted` with something behind it.
  std::string fresh(const std::string& wanted);
  void release(const std::string& name) { taken_.erase(name); }

private:
  std::set<std::string> taken_;
};

// Letters, digits and underscores of `text`, others dropped: for names made of accesses.
std::string identifier(const std::string& text);

} // namespace cyclotron::backend::c
