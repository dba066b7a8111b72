// SPDX-License-Identifier: MIT
// From recurrences over points to one program per role of PEs, at fixed sizes.
#pragma once

#include "dataflow/ir.hpp"
#include "lower/array_sizes.hpp"
#include "pe/ir.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lower {

// (i, j, k)_A <- (i, j-1, k)_A   -->   PE (i,j) receives A from (i,j-1) in its step k, and sends it on to (i,j+1)
// Every point is one step of the PE at its place. Nothing where an error was reported: a value that comes from PEs at
// different distances, is needed before it is there, or arrives in another order than it is needed in.
std::optional<pe::Program> dataflow_to_pe(const dataflow::Program& program, const ArraySizes& array,
                                          Diagnostics& diagnostics);

} // namespace cyclotron::lower
