// SPDX-License-Identifier: MIT
// Finds before the run what will happen: how many PEs do what, how much goes through every link, how much memory a PE
// needs, and whether everything that is sent is received. rehearse.hpp finds when it will happen.
#pragma once

#include "pe/ir.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::pe {

// Instructions of loops, conditions and steps that are walked through before we give up.
constexpr std::int64_t usual_work = 100'000'000;

// Channels times PEs: beyond that the counts alone are a burden.
constexpr std::int64_t most_links = 1 << 24;

struct ElementPrediction {
  std::vector<std::int64_t> at; // its coordinates
  int role = -1;                // -1: it does nothing
  std::uint64_t steps = 0;      // that take time
  std::uint64_t loads = 0, stores = 0, sent = 0, received = 0;
  std::uint64_t memory_bytes = 0; // of the registers of its role
};

// A channel between two PEs. A tile counts with its largest extents.
struct LinkPrediction {
  int channel = 0;
  int from = 0, to = 0; // PEs, row-major; -1: outside the grid
  std::uint64_t sent = 0, received = 0, bytes = 0;
};

struct Prediction {
  std::vector<ElementPrediction> elements; // row-major
  std::uint64_t broadcasts = 0;            // loads over wires to all PEs
  // Loads per tensor by ports of PEs that have a neighbour on every side: memory at the boundary does not reach them.
  std::map<std::string, std::uint64_t> inner_loads;
  std::vector<LinkPrediction> links; // those that are used, by channel and receiver
  std::string problem;               // a link that does not deliver what is expected; empty where all do
};

// Nothing where it would take more work than that.
std::optional<Prediction> predict(const Program& program, std::int64_t most_work = usual_work);

// Steps that take time, of all PEs; 0 where that would take more work than usual.
std::uint64_t steps_of(const Program& program);

// `9 PEs in 9 roles take 72 steps`, and so on: a few lines.
std::string summary(const Prediction& prediction, const Program& program);

} // namespace cyclotron::pe
