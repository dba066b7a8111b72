// SPDX-License-Identifier: MIT
// Loops that visit points in the order of their times (lower/visit_loops.hpp), as statements of a PE.
#pragma once

#include "dataflow/ir.hpp"
#include "lower/pe/ast_to_statements.hpp"
#include "lower/visit_loops.hpp"

namespace cyclotron::lower {

std::vector<pe::Statement> scan(const dataflow::Program& program, const std::vector<Visit>& visits,
                                const isl::set& known, const MakeStatement& make, int& levels);

} // namespace cyclotron::lower
