// SPDX-License-Identifier: MIT
// The names that are known at one place of a program, and what they are.
#pragma once

#include "pattern/ir.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::pattern {

// A value is a size, a `let` or what a pattern counts. A constant is one of the environment.
enum class NameKind { value, constant, dram, sram, sparse_sram, fifo, reg, bits };

struct Named {
  std::string name;
  NameKind kind = NameKind::value;
  ValueType type = ValueType::i64; // of the value, or of the elements
};

class Scope {
public:
  void declare(Named named) { declared_.push_back(std::move(named)); }
  const Named* find(std::string_view name) const; // null where there is none
  // What is declared after `open` is gone with `close`.
  void open() { marks_.push_back(declared_.size()); }
  void close();

private:
  std::vector<Named> declared_;
  std::vector<std::size_t> marks_;
};

NameKind kind_of(MemoryKind kind);
std::string_view describe(NameKind kind); // "a fifo"
bool is_sram(NameKind kind);              // sparse or not

} // namespace cyclotron::pattern
