// SPDX-License-Identifier: MIT
// Loops, tests and formulas of isl as code.
#pragma once

#include "code/ir.hpp"
#include "lower/code/names.hpp"

#include <isl/ast.h>
#include <isl/cpp.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cyclotron::lower {

// What isl's names are in the code, and whether that is a vector. Names that are not here stay.
struct Meaning {
  code::Expr expr;
  bool lanes = false;
};
using Meanings = std::map<std::string, Meaning>;

// What is done at a point that is visited.
using Visited = std::function<void(const std::string& visit, const std::vector<code::Expr>& coordinates, code::Body&)>;

// Takes the node. The loops go to the end of the body; their variables get names of their own.
void add_loops(isl_ast_node* node, const Meanings& meanings, FreshNames& names, const Visited& visited, code::Body& to);

// Whether the parameters are in the set. Where a parameter is a vector, the answer is one.
Meaning test_of(const isl::set& parameters, const Meanings& meanings);

// The value of a formula that depends on parameters only; takes it.
code::Expr value_of(isl_pw_aff* formula, const Meanings& meanings);

} // namespace cyclotron::lower
