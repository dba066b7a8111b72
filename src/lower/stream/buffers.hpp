// SPDX-License-Identifier: MIT
// Finite memories in a graph: `buffer B along i bytes 65536` stands in front of the scanner of B's level `i`, and is
// told by the innermost scanner of B which fibers are no longer in use.
#pragma once

#include "stream/ir.hpp"
#include "support/diagnostics.hpp"

namespace cyclotron::lower {

struct StreamBuffer {
  std::string tensor, index;
  std::int64_t bytes = 0, rate = 64, latency = 1;
  Span span;
};

// How many it put there.
int add_buffer(stream::Graph& graph, const StreamBuffer& buffer);

} // namespace cyclotron::lower
