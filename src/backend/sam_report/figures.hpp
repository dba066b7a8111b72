// SPDX-License-Identifier: MIT
// Figures of a simulated run of streams that several reports show and the run does not hold: shares of the cycles.
#pragma once

#include "backend/sam/simulate.hpp"
#include "stream/ir.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::sam {

// A graph and its run. A program has one or several, which run one after the other.
struct Phase {
  const stream::Graph& graph;
  const Run& run;
};
using Phases = std::vector<Phase>;

Time cycles_of(const Phases& phases);
std::uint64_t tokens_of(const Phases& phases);

// Parts of the cycles of the phase, from 0 to 1; for a block of several units, their mean.
double utilisation_of(const BlockStatistics& block, const Run& run);
double mean_utilisation(const Run& run);
double idle_of(const StreamStatistics& stream, const Run& run);

std::uint64_t tokens_of(const StreamStatistics& stream);
stream::Wire wire_of(const StreamStatistics& stream, const stream::Graph& graph);

// How long the critical path leads through each block, longest first.
struct PathShare {
  int node = 0;
  Time cycles = 0;
  double share = 0; // of the path
};
std::vector<PathShare> path_shares(const Run& run);

std::string title_of(const Phase& phase);                        // its equation, or its result's name
std::string heading_of(const Phases& phases, std::size_t phase); // "phase 1 of 2: …" where there are several
std::string main_figures(const Phase& phase);                    // 41 cycles, 123 tokens, blocks busy 29.3 %

} // namespace cyclotron::sam
