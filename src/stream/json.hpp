// SPDX-License-Identifier: MIT
// Graphs as JSON: blocks with the attributes of the Graphviz form, edges by the names of their ports.
#pragma once

#include "stream/ir.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::stream {

// parse_json(print_json(x)) == x.
std::string print_json(const std::vector<Graph>& phases);

// The graphs are not verified.
std::optional<std::vector<Graph>> parse_json(std::int32_t file, Diagnostics& diagnostics);

} // namespace cyclotron::stream
