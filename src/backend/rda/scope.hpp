// SPDX-License-Identifier: MIT
// What names of the program mean where the printer is, and what they are called in the text: the same, except where
// Scala or our runtime have them, or where an inner name would hide one that its own declaration reads.
#pragma once

#include "pattern/ir.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::backend::rda {

// `value`: a `let`, an index, or a constant of the environment.
enum class Kind { size, value, reg, sram, sparse_sram, fifo, bits, dram };

struct Meaning {
  Kind kind = Kind::value;
  std::string text;
  pattern::Expr extent; // of a bit vector
};

class Scope {
public:
  Scope() { open(); }
  void open() { scopes_.emplace_back(); }
  void close();
  const std::string& declare(const std::string& name, Kind kind, pattern::Expr extent = {});
  const Meaning& of(const std::string& name) const;

private:
  std::vector<std::map<std::string, Meaning>> scopes_; // the innermost last
  std::set<std::string> taken_;
};

// Words of Scala, and what the text calls of runtime/Spatial.scala.
bool is_reserved(std::string_view name);

// The name, or one like it that is not reserved.
std::string legal_name(const std::string& name);

} // namespace cyclotron::backend::rda
