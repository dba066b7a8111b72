// SPDX-License-Identifier: MIT
// isl's loops and conditions to those of a PE.
#pragma once

#include "pe/ir.hpp"

#include <isl/ast.h>
#include <isl/cpp.h>

#include <functional>
#include <string>
#include <vector>

namespace cyclotron::lower {

// What to do at a point: `tuple` is the name of the set that it comes from.
using MakeStatement = std::function<pe::Statement(const std::string& tuple, const std::vector<pe::Index>& coordinates)>;

// Takes the node.
std::vector<pe::Statement> statements_of(isl_ast_node* node, const MakeStatement& make);

// The points of a set of parameters as tests.
std::vector<pe::Tests> tests_of(const isl::set& parameters);

} // namespace cyclotron::lower
