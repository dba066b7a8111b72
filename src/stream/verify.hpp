// SPDX-License-Identifier: MIT
// What is wrong with a graph.
#pragma once

#include "stream/ir.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::stream {

// Empty where the invariants of ir.hpp hold; else a sentence that names the block by its label.
std::string problem_of(const Graph& graph);

// The number of stop levels of the stream at each output of each node; nothing where the graph is wrong.
std::optional<std::vector<std::vector<int>>> depths_of(const Graph& graph);

} // namespace cyclotron::stream
