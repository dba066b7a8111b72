// SPDX-License-Identifier: MIT
// The graph of a run, coloured by what happened: blocks by their utilisation, edges as thick as they carried tokens.
#pragma once

#include "backend/sam_report/figures.hpp"
#include "support/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::sam {

// A Graphviz file with one graph for each phase; it can be read as a graph again.
std::string graph_dot(const Phases& phases);

// A picture of each phase, drawn by Graphviz. Says what to do where that is not installed.
std::optional<std::vector<std::string>> graph_svgs(const Phases& phases, Diagnostics& diagnostics);

} // namespace cyclotron::sam
