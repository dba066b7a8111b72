// SPDX-License-Identifier: MIT
// The names of a kernel with their types, and the types of expressions: for all that walk over a kernel.
#pragma once

#include "code/ir.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace cyclotron::code {

class Scope {
public:
  // The sizes are there from the beginning.
  explicit Scope(const Kernel& kernel);

  void declare(const std::string& name, Type type) { declared_.push_back({name, type}); }
  // What is declared after `open` is gone with `close`.
  void open() { marks_.push_back(declared_.size()); }
  void close();

  const Type* variable(const std::string& name) const; // null where there is none
  const Memory* memory(const std::string& name) const;

private:
  struct Declared {
    std::string name;
    Type type;
  };
  const Kernel& kernel_;
  std::vector<Declared> declared_;
  std::vector<std::size_t> marks_;
};

// Of an expression that keeps the invariants.
Type type_of(const Expr& expr, const Scope& scope);

// Whether any statement of the body, or inside of its bodies, is such.
bool any_statement(const Body& body, const std::function<bool(const Statement&)>& is);

// Calls f on every statement, those inside of bodies too.
void each_statement(const Body& body, const std::function<void(const Statement&)>& f);

std::set<std::string> loaded_memories(const Body& body);

// Calls f on every expression of the statement itself, whole ones only, and not on those of its body.
void each_expression(const Statement& statement, const std::function<void(const Expr&)>& f);

} // namespace cyclotron::code
