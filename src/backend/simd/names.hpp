// SPDX-License-Identifier: MIT
// The C names of what a kernel names: the same wherever C and the functions in front of it allow that.
#pragma once

#include "backend/c/names.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::backend::simd {

class CNames {
public:
  // A name that the printed file uses itself, kept from all others.
  void reserve(const std::string& name) { table_.fresh(name); }

  const std::string& declare(const std::string& name) { return declare(name, name); }
  const std::string& declare(const std::string& name, const std::string& wanted);
  const std::string& of(const std::string& name) const { return names_.at(name); }
  // Of a kernel, whose function others call.
  std::string function(const std::string& kernel);

  // What is declared after `open` is gone with `close`.
  void open() { marks_.push_back(declared_.size()); }
  void close();

private:
  c::NameTable table_;
  std::map<std::string, std::string> names_;
  std::vector<std::string> declared_;
  std::vector<std::size_t> marks_;
};

} // namespace cyclotron::backend::simd
