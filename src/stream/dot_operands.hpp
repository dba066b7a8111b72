// SPDX-License-Identifier: MIT
// The operands, the result and the order of loops of a graph that is read from a Graphviz file.
#pragma once

#include "stream/dot_syntax.hpp"
#include "stream/ir.hpp"

namespace cyclotron::stream {

// From our attributes of the graph; in a published file, from its comment, `x=s0,B=ss01`, from the indices of scanners
// and writers, and from how deep the scanners lie. Needs the blocks and edges.
void read_operands(const DotGraph& text, Graph& graph, Diagnostics& diagnostics);

} // namespace cyclotron::stream
