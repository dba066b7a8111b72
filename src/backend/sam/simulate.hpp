// SPDX-License-Identifier: MIT
// Runs a graph of streams cycle for cycle, and says what it computed and what every block and stream did.
//
// Every wire takes one cycle, every block makes one step a cycle, and there is no limit on what waits in a wire unless
// `capacity` sets one. Tensors stand in memory that answers after `memory_latency` cycles, any number of requests at a
// time.
#pragma once

#include "backend/sam/token.hpp"
#include "engine/simulation.hpp"
#include "stream/ir.hpp"
#include "support/diagnostics.hpp"
#include "tensor/tensor.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::sam {

using engine::Time;

struct Options {
  std::size_t capacity = 0;  // tokens that a wire of the graph holds; 0: any number
  Time memory_latency = 1;   // from a request of a scanner or array to its answer
  bool records = false;      // what every block did when, and the critical path
  bool tokens = false;       // every token with its cycle
  bool waiting = true;       // counts how many tokens wait in each stream at most; without, it is faster
  std::size_t window = 1024; // tokens in a wire, in our memory, before others get their turn; nothing depends on it
  std::uint64_t shuffle = 0; // of the order in which processes are resumed, for tests
};

struct BlockStatistics {
  int node = 0;
  std::string label;
  int units = 0;                                              // that it is made of
  Time busy = 0, waiting_to_receive = 0, waiting_to_send = 0; // of all its units
  Time end = 0;                                               // of its last step
  std::int64_t asked = 0, reads = 0, bytes = 0; // buffer: fibers asked for, those that were read, their bytes
  std::vector<engine::Interval> intervals;      // of its last unit, where the run records
};

// What an output port put out; the rest of the cycles it was idle.
struct StreamStatistics {
  int node = 0, port = 0;
  std::string name; // of the block and the port
  std::uint64_t data = 0, stop = 0, empty = 0, done = 0;
  std::size_t most_waiting = 0; // in one of its wires, at most
};

// From `begin` to `end` the run waited for this block.
struct PathStep {
  int node = 0;
  Time begin = 0, end = 0;
};

struct Run {
  Time cycles = 0; // until all writers are done
  tensor::Tensor result;
  std::uint64_t tokens = 0; // received over all wires
  std::vector<BlockStatistics> blocks;
  std::vector<StreamStatistics> streams;
  std::vector<PathStep> critical_path;
  std::optional<engine::Deadlock> deadlock;    // there is no result then
  std::shared_ptr<const void> stuck;           // what the deadlock speaks of
  std::vector<std::vector<TimedToken>> traces; // one for each edge, where asked for
};

// `tensors` has the inputs by the name of the operand or, where there is none of that name, of the tensor; `extents`
// the size of every index.
std::optional<Run> simulate(const stream::Graph& graph, const std::map<std::string, const tensor::Tensor*>& tensors,
                            const std::vector<std::int64_t>& result_dims,
                            const std::map<std::string, std::int64_t>& extents, const Options& options,
                            Diagnostics& diagnostics);

} // namespace cyclotron::sam
