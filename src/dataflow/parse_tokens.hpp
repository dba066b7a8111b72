// SPDX-License-Identifier: MIT
// The text form of a dataflow program inside of another text: the `lanes` form has lines of its own above it.
#pragma once

#include "dataflow/ir.hpp"
#include "frontend/lex.hpp"

namespace cyclotron::dataflow {

// Like `parse`, from the tokens of the lines that belong to it, with the end of the file behind them.
std::optional<Program> parse_tokens(const std::vector<frontend::Token>& tokens, Diagnostics& diagnostics);

} // namespace cyclotron::dataflow
