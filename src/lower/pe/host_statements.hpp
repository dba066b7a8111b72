// SPDX-License-Identifier: MIT
// Elements that need no array: loops that compute and store them before the run.
#pragma once

#include "dataflow/ir.hpp"
#include "pe/ir.hpp"

namespace cyclotron::lower {

// H(i,0) <- gap*i : i < n   -->   for i = 0 .. 4: H_value <- 2*i; H(i,0) <- H_value
std::vector<pe::Statement> host_statements(const dataflow::Program& program, pe::Program& to);

} // namespace cyclotron::lower
