// SPDX-License-Identifier: MIT
// What an embedded expression is made of: text, how tightly it binds, and which names it mentions.
#pragma once

#include "cyclotron/expression.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cyclotron::detail {

enum class Kind { index, size, constant, tensor };

struct Use {
  Kind kind = Kind::index;
  std::string name;
  std::shared_ptr<const Declaration> declaration; // of a constant or a tensor
};
using Uses = std::vector<Use>;

// `let …` or `tensor …`.
struct Declaration {
  std::string name;
  std::string text;         // the whole statement
  std::uint64_t number = 0; // grows with each one that is made
  Uses uses;
};

// As in the language's grammar, loosest first.
enum class Binding { logical_or, logical_and, logical_not, comparison, sum, product, unary, atom };

struct Node {
  std::string text;
  Binding binding = Binding::atom;
  Uses uses;
  std::vector<std::string> constraints; // what it says as a constraint; empty where it cannot be one
};

void merge(Uses& into, const Uses& more);
std::shared_ptr<const Declaration> declare(const std::string& name, const std::string& text, Uses uses);

// The name itself. Throws Error where it is not a name that the language could read.
const std::string& checked_name(const std::string& name, const char* what);

} // namespace cyclotron::detail
