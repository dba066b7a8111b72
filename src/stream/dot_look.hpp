// SPDX-License-Identifier: MIT
// What blocks and wires look like in a picture: labels, colours and lines of the published graphs, and of that kind
// for the blocks that those lack.
#pragma once

#include "stream/ir.hpp"

#include <string>

namespace cyclotron::stream {

// With `\n` as Graphviz writes it between lines. `gathered`: what a spaccumulator gathers.
std::string picture_label(const Node& node, const std::string& gathered);

struct Colours {
  const char* fill;
  const char* font;
};
Colours colours_of(const Node& node);

// Graphviz attributes, each with a blank in front.
const char* line_of(Wire wire);

} // namespace cyclotron::stream
